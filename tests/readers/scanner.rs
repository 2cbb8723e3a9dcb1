//! The reader of our library in a process of its own: the PC/SC library settles on one daemon for each process.
//!
//! The process is this test program again, running [`the_scanner_itself`]; it takes commands on stdin, one a line, and
//! tells what happens as JSON. `scan SECONDS` arms the chosen readers, `esc` takes the consent back, `list` lists.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agentcall::device::nfc::{Choice, Happened, NfcReader, PcscReaders, RawTag, Scanned, Told, readers};
use agentcall::device::{Armed, ArmedBy, DeviceKind, Disarm};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::common::PATIENCE;
use super::pcscd::{Pcscd, lines_of};

/// Where the child finds the names of its readers, as a JSON list; none for all that are for tags.
const READERS: &str = "AGENTCALL_TEST_READERS";
/// Before each line that is meant for the parent: the test program says things of its own.
const MARK: char = '@';

/// The process. It ends when this is dropped.
pub struct Scanner {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    /// Everything that was said since the last scan began.
    pub said: Vec<Value>,
}

impl Scanner {
    /// One that arms every reader for tags.
    pub async fn auto(daemon: &Pcscd) -> Self {
        Self::start(daemon, &[]).await
    }

    /// One that arms the readers of these names.
    pub async fn named(daemon: &Pcscd, names: &[&str]) -> Self {
        Self::start(daemon, names).await
    }

    async fn start(daemon: &Pcscd, names: &[&str]) -> Self {
        Self::process("scanner::the_scanner_itself", daemon, names).await
    }

    /// This test program again, running the ignored test of this name, which says that it is `ready`.
    pub async fn process(test: &str, daemon: &Pcscd, names: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored", "--nocapture"]);
        command.env("PCSCLITE_CSOCK_NAME", daemon.socket()).env(READERS, json!(names).to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (stdin, lines) = (child.stdin.take().expect("it is a pipe"), lines_of(&mut child));
        let mut scanner = Self { child, stdin, lines, said: Vec::new() };
        scanner.until("ready", |_| true).await;
        scanner
    }

    /// Gives it a command.
    pub async fn tell(&mut self, command: &str) {
        self.stdin.write_all(format!("{command}\n").as_bytes()).await.unwrap();
    }

    /// Arms; the result comes later.
    pub async fn arm(&mut self, seconds: u64) {
        self.said.clear();
        self.tell(&format!("scan {seconds}")).await;
        self.until("armed", |_| true).await;
    }

    /// Takes the consent back.
    pub async fn esc(&mut self) {
        self.tell("esc").await;
    }

    /// Arms for half a minute and waits for the result.
    pub async fn scan(&mut self) -> Value {
        self.arm(30).await;
        self.result().await
    }

    /// What came of the scan: `{"technology", "ndef" in hexadecimal digits, "why", "damaged", "id" its length, "reader"}`
    /// or `{"failed"}`, with `seconds` since it was armed and, after Esc, `stopped_in` seconds since that.
    pub async fn result(&mut self) -> Value {
        self.until("result", |_| true).await
    }

    /// Waits until a reader is told to have done this; gives the whole event.
    pub async fn event(&mut self, what: &str) -> Value {
        self.until("event", |event| event["what"] == what).await
    }

    /// Every event of the scan so far that was this.
    pub fn events(&self, what: &str) -> Vec<Value> {
        self.said.iter().filter_map(|said| said.get("event")).filter(|e| e["what"] == what).cloned().collect()
    }

    /// How many hundredths of a second of a core it has used so far.
    pub fn ticks(&self) -> u64 {
        let id = self.child.id().expect("it runs");
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        // Behind the name, which may hold anything, user and system time are fields 14 and 15.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// The readers that it lists.
    pub async fn list(&mut self) -> Value {
        self.tell("list").await;
        self.until("list", |_| true).await
    }

    /// Waits for something of this kind that is as wanted.
    pub async fn until(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let next = timeout(PATIENCE, self.lines.next_line()).await;
            let line = next.unwrap_or_else(|_| panic!("no such {kind:?} in {:#?}", self.said)).unwrap();
            let line = line.unwrap_or_else(|| panic!("it ended without {kind:?}: {:#?}", self.said));
            let Some(said) = line.strip_prefix(MARK) else { continue };
            let said: Value = serde_json::from_str(said).unwrap();
            self.said.push(said.clone());
            if let Some(value) = said.get(kind)
                && wanted(value)
            {
                return value.clone();
            }
        }
    }
}

// ── the child ──

/// The readers that it is to arm; `None` where it was not started by a test.
pub fn chosen() -> Option<Choice> {
    let names: Vec<String> = serde_json::from_str(&std::env::var(READERS).ok()?).unwrap();
    Some(if names.is_empty() { Choice::Auto } else { Choice::Named(names) })
}

/// One line to the parent.
pub fn say(kind: &str, value: &Value) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{MARK}{}", json!({ kind: value })).unwrap();
    out.flush().unwrap();
}

#[tokio::test]
#[ignore = "the other tests start it as a process of its own"]
async fn the_scanner_itself() {
    let Some(choice) = chosen() else { return };
    let reader = Arc::new(tokio::sync::Mutex::new(PcscReaders::new(choice)));
    let mut commands = typed();
    let mut esc: Option<Disarm> = None;
    let stopped = Arc::new(Mutex::new(None));
    say("ready", &json!(true));
    while let Some(line) = commands.recv().await {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("scan", seconds) => {
                let within = Duration::from_secs(seconds.parse().unwrap());
                let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, within);
                esc = Some(armed.disarm());
                say("armed", &json!(true));
                let (reader, stopped) = (Arc::clone(&reader), Arc::clone(&stopped));
                tokio::spawn(async move { scan(&mut *reader.lock().await, armed, &stopped).await });
            }
            ("esc", _) => {
                if let Some(esc) = esc.take() {
                    *stopped.lock().unwrap() = Some(Instant::now());
                    esc.now();
                }
            }
            ("list", _) => {
                let found = tokio::task::spawn_blocking(|| readers(Duration::from_secs(2))).await.unwrap();
                let list: Vec<Value> =
                    found.readers.iter().map(|r| json!([r.name, r.kind.to_string()])).collect();
                let trouble = found.trouble.map(|trouble| trouble.to_string());
                say("list", &json!({ "readers": list, "trouble": trouble }));
            }
            _ => panic!("unknown command {line}"),
        }
    }
    // The parent is gone; threads that a frozen daemon holds must not keep us.
    std::process::exit(0);
}

/// The lines of standard input.
pub fn typed() -> tokio::sync::mpsc::UnboundedReceiver<String> {
    let (send, lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            drop(send.send(line));
        }
    });
    lines
}

async fn scan(reader: &mut PcscReaders, armed: Armed, stopped: &Mutex<Option<Instant>>) {
    let (told, mut heard) = Told::channel();
    let began = Instant::now();
    let listening = tokio::spawn(async move {
        while let Some(event) = heard.recv().await {
            let seconds = event.at.saturating_duration_since(began).as_secs_f64();
            say("event", &described(&event.reader, &event.what, &event.to_string(), seconds));
        }
    });
    let mut result = match reader.scan(&armed, told).await {
        Ok(scanned) => delivered(&scanned),
        Err(error) => json!({ "failed": error.to_string() }),
    };
    result["seconds"] = json!(began.elapsed().as_secs_f64());
    let stopped = stopped.lock().unwrap().take();
    result["stopped_in"] = json!(stopped.map(|at| at.elapsed().as_secs_f64()));
    say("result", &result);
    // What happens to the tag that was read is told until it is taken off.
    drop(listening);
}

fn delivered(scanned: &Scanned) -> Value {
    let RawTag::Read { technology, ndef, uid } = &scanned.tag else { panic!("{:?}", scanned.tag) };
    json!({
        "technology": technology,
        "ndef": ndef.as_ref().ok().map(|message| data_encoding::HEXUPPER.encode(message)),
        "why": ndef.as_ref().err().map(|none| none.why.clone()),
        "damaged": ndef.as_ref().is_err_and(|none| none.damaged),
        "id": uid.as_ref().map(|uid| uid.len()),
        "reader": scanned.reader,
    })
}

fn described(reader: &str, what: &Happened, text: &str, seconds: f64) -> Value {
    let (name, more) = match what {
        Happened::Inserted { lay_there } => ("inserted", json!({ "lay_there": lay_there })),
        Happened::Flickered { .. } => ("flickered", json!({})),
        Happened::Removed => ("removed", json!({})),
        Happened::TornAway { after } => ("torn", json!({ "after": after })),
        Happened::Read(read) => {
            let apdus: Vec<String> = read.apdus.iter().map(ToString::to_string).collect();
            let (took, sum) = (read.took.as_secs_f64(), read.in_apdus().as_secs_f64());
            ("read", json!({ "apdus": apdus, "took": took, "sum": sum }))
        }
        Happened::Trouble(trouble) => ("trouble", json!({ "hint": trouble.hint() })),
        Happened::Recovered(_) => ("recovered", json!({})),
    };
    let mut event = json!({ "what": name, "reader": reader, "text": text, "seconds": seconds });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}
