//! A program in a pseudo-terminal, measured: its frames are counted and its answers timed by the bytes that it writes,
//! without making a screen of them, which would cost more than what is measured.

use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::process::worked;

/// Every frame ends with hiding the cursor, or with showing it where it belongs.
const FRAME_ENDS: [&[u8]; 2] = [b"\x1b[?25l", b"\x1b[?25h"];
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What it has written.
#[derive(Default)]
struct Written {
    /// Everything since [`Screen::forget`].
    bytes: Vec<u8>,
    /// Frames since the start.
    frames: u64,
    /// It has closed its terminal.
    over: bool,
}

#[derive(Default)]
struct Shared {
    written: Mutex<Written>,
    more: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The program and its terminal.
pub struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    shared: Arc<Shared>,
    started: Instant,
    _terminal: Box<dyn MasterPty + Send>,
}

impl Screen {
    /// Starts a program on so many columns and rows, with a home of its own.
    ///
    /// # Panics
    /// When there is no pseudo-terminal to be had.
    pub fn start(
        program: &std::path::Path,
        arguments: &[&str],
        home: &std::path::Path,
        size: (u16, u16),
    ) -> Self {
        let (cols, rows) = size;
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        for (name, value) in [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
            command.env(name, home);
        }
        let shared = Arc::new(Shared::default());
        let mut output = pair.master.try_clone_reader().expect("the terminal can be read");
        let keys = pair.master.take_writer().expect("the terminal can be written");
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || read(&mut *output, &theirs));
        Self { child, keys, shared, started, _terminal: pair.master }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("it has been started")
    }

    /// How many frames it has drawn.
    pub fn frames(&self) -> u64 {
        self.shared.lock().frames
    }

    /// Presses keys.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// From the start until this text is written as one piece.
    pub fn first(&self, text: &str) -> Duration {
        self.wait(text, |written| holds(&written.bytes, text.as_bytes())).duration_since(self.started)
    }

    /// Presses a key and waits until this text is written after it.
    pub fn press_until(&mut self, key: &str, text: &str) -> Duration {
        self.shared.lock().bytes.clear();
        let pressed = Instant::now();
        self.press(key);
        self.wait(text, |written| holds(&written.bytes, text.as_bytes())).duration_since(pressed)
    }

    /// Presses a key and waits for the next frame.
    pub fn press_until_drawn(&mut self, key: &str) -> Duration {
        let before = self.frames();
        let pressed = Instant::now();
        self.press(key);
        self.wait("a frame", |written| written.frames > before).duration_since(pressed)
    }

    /// Waits until the program has done next to nothing for half a second.
    ///
    /// # Panics
    /// When it is gone.
    pub fn settle(&self) {
        const LOOK: Duration = Duration::from_millis(500);
        let spent = || worked(self.pid()).expect("it runs");
        loop {
            let before = spent();
            std::thread::sleep(LOOK);
            if spent() - before <= LOOK / 20 {
                return;
            }
        }
    }

    fn wait(&self, what: &str, there: impl Fn(&Written) -> bool) -> Instant {
        let until = Instant::now() + PATIENCE;
        let mut written = self.shared.lock();
        loop {
            if there(&written) {
                return Instant::now();
            }
            let left = until.saturating_duration_since(Instant::now());
            let end = String::from_utf8_lossy(&written.bytes[written.bytes.len().saturating_sub(2_000)..])
                .into_owned();
            assert!(
                !written.over && !left.is_zero(),
                "{what} did not come; it wrote last:\n{}",
                end.escape_debug()
            );
            written = self.shared.more.wait_timeout(written, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Forgets what was written so far.
    pub fn forget(&self) {
        self.shared.lock().bytes.clear();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Most bytes that are kept for [`Screen::first`]; the older half goes.
const KEPT: usize = 4 * 1024 * 1024;

fn read(output: &mut dyn Read, shared: &Shared) {
    let mut buffer = vec![0; 64 * 1024];
    // The end of the last piece, where a sequence may have been cut.
    let mut tail: Vec<u8> = Vec::new();
    loop {
        let count = output.read(&mut buffer).unwrap_or(0);
        tail.extend_from_slice(&buffer[..count]);
        let frames: usize =
            FRAME_ENDS.iter().map(|end| tail.windows(end.len()).filter(|part| part == end).count()).sum();
        let mut written = shared.lock();
        written.frames += frames as u64;
        written.bytes.extend_from_slice(&buffer[..count]);
        if written.bytes.len() > KEPT {
            written.bytes.drain(..KEPT / 2);
        }
        written.over = count == 0;
        drop(written);
        shared.more.notify_all();
        if count == 0 {
            return;
        }
        tail.drain(..tail.len().saturating_sub(FRAME_ENDS[0].len() - 1));
    }
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|part| part == text)
}
