//! A virtual tag of a test's own: `vtag.py` as a child, with its commands and its log.

use std::process::Stdio;

use tokio::io::{AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::common::PATIENCE;
use super::pcscd::{Pcscd, lines_of, script_at};

/// The tag. It ends when this is dropped.
pub struct Tag {
    _child: Child,
    stdin: ChildStdin,
    log: Lines<BufReader<ChildStdout>>,
    seen: Vec<String>,
    marks: usize,
}

/// One APDU that the tag got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The command in hexadecimal digits.
    pub command: String,
    /// The answer; `None` where the tag was torn away in place of it.
    pub answer: Option<String>,
}

impl Tag {
    /// A tag that is not on the first reader yet.
    pub async fn off(daemon: &Pcscd, args: &[&str]) -> Self {
        Self::at(daemon, 0, &[args, &["--start-off"]].concat()).await
    }

    /// A tag that lies on the first reader.
    pub async fn on(daemon: &Pcscd, args: &[&str]) -> Self {
        Self::at(daemon, 0, args).await
    }

    /// A tag for one of the readers.
    pub async fn at(daemon: &Pcscd, reader: usize, args: &[&str]) -> Self {
        Self::at_port(daemon.port(reader), args).await
    }

    /// A tag for the second slot of the first reader, which clients see as a reader of its own.
    pub async fn beside(daemon: &Pcscd, args: &[&str]) -> Self {
        Self::at_port(daemon.port(0) + 1, args).await
    }

    async fn at_port(port: u16, args: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command.arg(script_at("vtag.py")).args(["--log", "--port", &port.to_string()]).args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (stdin, log) = (child.stdin.take().expect("it is a pipe"), lines_of(&mut child));
        let mut tag = Self { _child: child, stdin, log, seen: Vec::new(), marks: 0 };
        if !args.contains(&"--start-off") {
            tag.until("power down").await;
        }
        tag
    }

    /// Gives it a command.
    pub async fn tell(&mut self, command: &str) {
        self.stdin.write_all(format!("{command}\n").as_bytes()).await.unwrap();
    }

    /// It is taken off, and the daemon has seen it; from now on it is this tag. What was before is forgotten.
    pub async fn swap(&mut self, what: &str) {
        self.tell("leave").await;
        self.until("left").await;
        self.tell(&format!("tag {what}")).await;
        self.exchanges().await;
    }

    /// It is taken off, and another tag is put on in its place; the daemon has seen both. What was before is forgotten.
    pub async fn place(&mut self, what: &str) {
        self.swap(what).await;
        self.tell("on").await;
        self.until("power up").await;
    }

    /// Waits for a line of the log that holds `text`, from where the last wait ended.
    pub async fn until(&mut self, text: &str) -> String {
        loop {
            let next = timeout(PATIENCE, self.log.next_line()).await;
            let line = next.unwrap_or_else(|_| panic!("no {text:?} in {:#?}", self.seen)).unwrap();
            let line = line.unwrap_or_else(|| panic!("it ended without {text:?}: {:#?}", self.seen));
            let found = line.contains(text);
            self.seen.push(line);
            if found {
                return self.seen.last().cloned().unwrap_or_default();
            }
        }
    }

    /// Every APDU since the last call.
    pub async fn exchanges(&mut self) -> Vec<Exchange> {
        self.marks += 1;
        let mark = format!("mark {}", self.marks);
        self.tell(&mark).await;
        self.until(&mark).await;
        std::mem::take(&mut self.seen).iter().filter_map(|line| exchange(line)).collect()
    }

    /// The commands of these, in hexadecimal digits.
    pub async fn commands(&mut self) -> Vec<String> {
        self.exchanges().await.into_iter().map(|exchange| exchange.command).collect()
    }
}

/// `TIME apdu N > COMMAND < ANSWER` or `TIME rip N > COMMAND`.
fn exchange(line: &str) -> Option<Exchange> {
    let mut words = line.split(' ').skip(1);
    let torn = match words.next()? {
        "apdu" => false,
        "rip" => true,
        _ => return None,
    };
    let mut words = words.skip(2);
    let command = words.next()?.to_owned();
    let answer = words.nth(1).unwrap_or_default().to_owned();
    Some(Exchange { command, answer: (!torn).then_some(answer) })
}
