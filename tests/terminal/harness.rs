//! A real program in a real pseudo-terminal: what it draws is a screen, what it leaves is compared.
//!
//! Every wait is for a condition; the only time in here is the patience after which a test fails and shows the screen.

use std::fs;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use vt100::{Parser, Screen};

/// Longer than anything here takes, so that a hang is a failure and not a wait.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a condition outside the screen is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What the program has written: the bytes, and the screen that they make.
struct Seen {
    state: Mutex<(Parser, Vec<u8>)>,
    more: Condvar,
    closing: AtomicBool,
    /// Whether nobody reads what the program writes.
    stalled: AtomicBool,
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, (Parser, Vec<u8>)> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A program in a pseudo-terminal of its own, with a home of its own.
pub struct Pty {
    master: Option<Box<dyn MasterPty + Send>>,
    /// Held, because the settings of a terminal are forgotten with its last user.
    slave: Option<Box<dyn SlavePty + Send>>,
    writer: Option<Box<dyn Write + Send>>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Seen>,
    reader: Option<std::thread::JoinHandle<()>>,
    before: String,
    _home: tempfile::TempDir,
}

/// How a program is started.
pub struct Start {
    command: CommandBuilder,
    size: (u16, u16),
}

impl Start {
    /// This program with these arguments, on 30 rows of 100 columns.
    pub fn program(program: &str, args: &[&str]) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        Self { command, size: (30, 100) }
    }

    /// The real binary.
    pub fn agentcall(args: &[&str]) -> Self {
        Self::program(env!("CARGO_BIN_EXE_agentcall"), args)
    }

    /// On so many rows and columns.
    pub fn size(mut self, rows: u16, columns: u16) -> Self {
        self.size = (rows, columns);
        self
    }

    /// With this variable, beside those that every program here gets.
    #[allow(dead_code, reason = "other test binaries use the harness too")]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without this variable.
    #[allow(dead_code, reason = "other test binaries use the harness too")]
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// On a terminal that does not control it: closing it raises no SIGHUP.
    pub fn without_control(mut self) -> Self {
        self.command.set_controlling_tty(false);
        self
    }

    /// Starts it.
    pub fn spawn(mut self) -> Pty {
        let (rows, columns) = self.size;
        let pair = native_pty_system().openpty(size(rows, columns)).unwrap();
        let home = tempfile::tempdir().unwrap();
        self.command.cwd(home.path());
        for name in ["HOME", "TMPDIR"] {
            self.command.env(name, home.path());
        }
        self.command.env("PATH", std::env::var_os("PATH").unwrap());
        let before = settings(&*pair.master);
        let child = pair.slave.spawn_command(self.command).unwrap();
        let (height, width) = kept(rows, columns);
        let parser = Parser::new(height, width, 0);
        let seen = Arc::new(Seen {
            state: Mutex::new((parser, Vec::new())),
            more: Condvar::new(),
            closing: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
        });
        let output = pair.master.try_clone_reader().unwrap();
        let shared = Arc::clone(&seen);
        let reader = std::thread::spawn(move || read(output, &shared));
        let writer = pair.master.take_writer().unwrap();
        Pty {
            master: Some(pair.master),
            slave: Some(pair.slave),
            writer: Some(writer),
            child,
            seen,
            reader: Some(reader),
            before,
            _home: home,
        }
    }
}

fn read(mut output: Box<dyn Read + Send>, seen: &Seen) {
    let mut bytes = [0; 65_536];
    let next = |output: &mut Box<dyn Read + Send>, bytes: &mut [u8]| {
        while seen.stalled.load(Ordering::SeqCst) && !seen.closing.load(Ordering::SeqCst) {
            std::thread::sleep(LOOK);
        }
        output.read(bytes)
    };
    while let Ok(count @ 1..) = next(&mut output, &mut bytes) {
        let mut state = seen.lock();
        state.0.process(&bytes[..count]);
        state.1.extend_from_slice(&bytes[..count]);
        drop(state);
        seen.more.notify_all();
        if seen.closing.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// What is kept of a screen that says to be so large: at least one cell, and no more than the program draws.
fn kept(rows: u16, columns: u16) -> (NonZeroU16, NonZeroU16) {
    let within = |size: u16, most: u16| NonZeroU16::new(size.clamp(1, most)).expect("at least 1");
    (within(rows, 500), within(columns, 1_000))
}

fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// All settings of the terminal (termios), to be compared.
fn settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().expect("a Unix terminal has settings"))
}

impl Pty {
    /// The real binary with these arguments.
    pub fn spawn(args: &[&str], rows: u16, columns: u16) -> Self {
        Start::agentcall(args).size(rows, columns).spawn()
    }

    /// The demo on 30 rows of 140 columns, once its session is live.
    pub fn live_demo() -> Self {
        let pty = Self::spawn(&["demo"], 30, 140);
        pty.wait_for("a live session", |screen| screen.contains("● live"));
        pty
    }

    fn master(&self) -> &dyn MasterPty {
        &**self.master.as_ref().expect("the terminal is open")
    }

    /// Waits until the text on screen is so, and returns it.
    pub fn wait_for(&self, what: &str, so: impl Fn(&str) -> bool) -> String {
        self.wait_screen(what, |screen| so(&screen.contents()))
    }

    /// Waits until the screen, with its modes, is so, and returns its text.
    pub fn wait_screen(&self, what: &str, so: impl Fn(&Screen) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.seen.lock();
        while !so(state.0.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let tail = state.1[state.1.len().saturating_sub(400)..].escape_ascii();
                panic!("{what}: did not come. The screen:\n{}\n\nlast bytes: {tail}", text(state.0.screen()));
            }
            state = self.seen.more.wait_timeout(state, left).unwrap_or_else(|e| e.into_inner()).0;
        }
        state.0.screen().contents()
    }

    /// Waits until more bytes were written than these.
    #[allow(dead_code, reason = "other test binaries use the harness too")]
    pub fn wait_written(&self, what: &str, bytes: usize) {
        let more = within(PATIENCE, || self.seen.lock().1.len() > bytes);
        assert!(more, "{what}: nothing was written");
    }

    /// Everything that was written so far.
    pub fn written(&self) -> Vec<u8> {
        self.seen.lock().1.clone()
    }

    /// Everything that was written. The program has ended, but what it wrote last may not be read yet: without anybody
    /// who could write more, the reading ends by itself.
    #[allow(dead_code, reason = "other test binaries use the harness too")]
    pub fn written_whole(mut self) -> Vec<u8> {
        self.slave = None;
        let reader = self.reader.take().expect("it is not closed");
        assert!(within(PATIENCE, || reader.is_finished()), "somebody still holds the terminal");
        self.written()
    }

    /// Types, or whatever else a terminal sends.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().expect("the terminal is open");
        writer.write_all(bytes.as_ref()).unwrap();
        writer.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub fn resize(&self, rows: u16, columns: u16) {
        let (height, width) = kept(rows, columns);
        self.seen.lock().0.screen_mut().set_size(height, width);
        self.master().resize(size(rows, columns)).unwrap();
    }

    /// Says another size, whatever it is, without anybody who draws it.
    #[allow(dead_code, reason = "other test binaries use the harness too")]
    pub fn say_size(&self, rows: u16, columns: u16) {
        self.master().resize(size(rows, columns)).unwrap();
    }

    /// Closes the terminal's other end, as a terminal window that disappears.
    pub fn close(&mut self) {
        self.seen.closing.store(true, Ordering::SeqCst);
        // The reading thread holds the other end too until it has read something: a new size is drawn.
        self.resize(24, 90);
        self.reader.take().expect("closed once").join().unwrap();
        self.master = None;
        self.writer = None;
    }

    /// Closes it while nobody reads, with what is written still in it.
    pub fn close_unread(&mut self) {
        self.seen.closing.store(true, Ordering::SeqCst);
        self.reader.take().expect("closed once").join().unwrap();
        self.master = None;
        self.writer = None;
    }

    /// Reads no more of what the program writes, after at most one piece.
    pub fn stop_reading(&self) {
        self.seen.stalled.store(true, Ordering::SeqCst);
    }

    /// Reads on.
    pub fn read_on(&self) {
        self.seen.stalled.store(false, Ordering::SeqCst);
    }

    /// Whether a program could write to it now.
    pub fn takes_output(&self) -> bool {
        let name = self.master().tty_name().expect("a Unix terminal has a name");
        let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK;
        let terminal = open(name, flags, Mode::empty()).unwrap();
        let mut descriptor = [PollFd::new(&terminal, PollFlags::OUT)];
        poll(&mut descriptor, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() == 1
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        signal_to(self.pid(), signal);
    }

    /// The exit code; a signal that ended it is 128 and its number, as in a shell.
    pub fn wait_exit(&mut self) -> u32 {
        let child = &mut self.child;
        let mut status = None;
        let ended = within(PATIENCE, || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert!(ended, "it does not end. The screen:\n{}", text(self.seen.lock().0.screen()));
        let status = status.unwrap();
        assert!(status.signal().is_none(), "ended by {status:?}");
        status.exit_code()
    }

    /// Holds that the terminal is as it was before: its settings and every mode.
    pub fn assert_given_back(&self) {
        self.wait_screen("the terminal given back", |screen| {
            !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
        });
        assert_eq!(settings(self.master()), self.before, "the terminal's settings");
        let written = self.written();
        assert_eq!(last(&written, b"\x1b[?1004"), Some(b'l'), "focus reports are off");
        assert_eq!(last(&written, b"\x1b[?2026").unwrap_or(b'l'), b'l', "no update is left open");
        for mouse in [&b"\x1b[?1000h"[..], b"\x1b[?1002h", b"\x1b[?1003h"] {
            assert!(!written.windows(mouse.len()).any(|window| window == mouse), "the mouse was taken");
        }
    }

    /// Whether the settings of the terminal are those from before.
    pub fn has_settings_from_before(&self) -> bool {
        settings(self.master()) == self.before
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind; one that did not has waited for the end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The screen with a frame around it, for people.
fn text(screen: &Screen) -> String {
    let (_, columns) = screen.size();
    let rows: Vec<String> = screen.rows(0, columns.get()).map(|row| format!("  |{row}")).collect();
    rows.join("\n")
}

/// The byte after the last place of `start`.
fn last(bytes: &[u8], start: &[u8]) -> Option<u8> {
    let at = bytes.windows(start.len()).rposition(|window| window == start)?;
    bytes.get(at + start.len()).copied()
}

/// Waits until it is so; `false` when it did not come in that time.
pub fn within(time: Duration, mut so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + time;
    loop {
        if so() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

/// Sends a signal to any process.
pub fn signal_to(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.try_into().unwrap()).unwrap(), signal).unwrap();
}

/// One process, as the system tells it.
#[derive(Debug)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its state: `T` stopped, `Z` ended.
    pub state: char,
    /// Its parent.
    pub parent: u32,
    /// Its time on a processor, in ticks of 10 ms.
    pub ticks: u64,
}

/// What `/proc` says of a process; nothing when there is none.
pub fn process(pid: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let number = |at: usize| fields[at].parse().unwrap_or(0);
    Some(Process {
        pid,
        state: fields[0].chars().next()?,
        parent: u32::try_from(number(1)).ok()?,
        ticks: number(11) + number(12),
    })
}

/// The children of a process.
pub fn children(pid: u32) -> Vec<Process> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| process(entry.ok()?.file_name().to_str()?.parse().ok()?))
        .filter(|process| process.parent == pid)
        .collect()
}
