//! From a terminal's bytes to events, however they are cut into reads. Pure: the time comes in.
//!
//! The reading thread calls [`Decoder::read`] with what came, and [`Decoder::pause`] when nothing came until
//! [`Decoder::due`]. Written here because the parsers at hand wait without end for the rest of a sequence, type
//! replies of the terminal into the field, or hold a paste of any length (docs/decisions.md).
//!
//! What is never typing: replies of the terminal (OSC, DCS, APC, PM and SOS strings, every CSI that is no key) and
//! what is glued to the end of a paste.

mod csi;

#[cfg(test)]
mod tests;

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// How long a lone ESC may be the begin of a sequence. Then it is the key.
pub const ESC_WAIT: Duration = Duration::from_millis(40);
/// How long the rest of a sequence, or of a paste, may take. Then a sequence is dropped and what comes is typing.
pub const REST_WAIT: Duration = Duration::from_secs(1);
/// What comes within this time after a paste belongs to it: no hand is as fast, and a text with an end mark in it must
/// not press keys.
pub const GLUED: Duration = Duration::from_millis(25);
/// The most of one paste that is kept, in bytes. No field takes a tenth of it.
pub const LONGEST_PASTE: usize = 1 << 20;
/// The most of a CSI sequence that is kept; no key has a tenth of it.
const LONGEST_CSI: usize = 256;

const ESC: u8 = 0x1b;
const END_OF_PASTE: &[u8] = b"\x1b[201~";

/// Where in a sequence the next byte stands.
#[derive(Debug, Default)]
enum State {
    /// In none.
    #[default]
    Ground,
    /// In a character of more bytes: what came, and how many there will be.
    Character(Vec<u8>, usize),
    /// After ESC.
    Escape,
    /// After `ESC O`.
    Ss3,
    /// After `ESC [`: what came since.
    Csi(Vec<u8>),
    /// So many bytes that mean nothing here.
    Skip(u8),
    /// After the introducer of a string (`]`, `P`, `_`), which a hand with Alt held sends too.
    Introduced(u8),
    /// In a string that a terminal sends; whether its last byte was ESC.
    String(bool),
}

/// A paste under way.
#[derive(Debug, Default)]
struct Paste {
    text: Vec<u8>,
    /// How much of the end mark came; `None` after it, while what is glued to it comes.
    matched: Option<usize>,
    /// Whether a part was handed on because the rest did not come.
    stalled: bool,
}

impl Paste {
    fn push(&mut self, bytes: &[u8]) {
        let room = LONGEST_PASTE.saturating_sub(self.text.len());
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// What came, without the begin of a character at its end.
    fn whole_characters(&mut self) -> Option<Event> {
        let whole = match std::str::from_utf8(&self.text) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.text.len(),
        };
        let rest = self.text.split_off(whole);
        pasted(&std::mem::replace(&mut self.text, rest))
    }
}

fn pasted(text: &[u8]) -> Option<Event> {
    (!text.is_empty()).then(|| Event::Paste(String::from_utf8_lossy(text).into_owned()))
}

/// What came of a terminal's input so far.
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
    paste: Option<Paste>,
    /// When the last byte came.
    last: Duration,
    /// When an ESC was taken for the key because nothing followed.
    late_esc: Option<Duration>,
    /// Whether the next key has Alt held.
    alt: bool,
    out: Vec<Event>,
}

impl Decoder {
    /// Takes what came. `now` never steps back.
    pub fn read(&mut self, bytes: &[u8], now: Duration) -> Vec<Event> {
        self.settle(now);
        if bytes == [0x03] && self.paste.as_ref().is_some_and(|paste| paste.stalled) {
            // The way out of a paste whose end was lost.
            self.paste = None;
        }
        let late = self.late_esc.take().is_some_and(|at| now.saturating_sub(at) <= REST_WAIT);
        if late && matches!(self.state, State::Ground) && continues_a_sequence(bytes) {
            self.state = State::Escape;
        }
        self.last = now;
        for byte in bytes {
            self.byte(*byte);
        }
        std::mem::take(&mut self.out)
    }

    /// When to call [`Decoder::pause`] if nothing comes.
    pub fn due(&self) -> Option<Duration> {
        let open = self.paste.as_ref().is_some_and(|paste| paste.matched.is_some());
        let wait = match (&self.state, &self.paste) {
            (_, Some(paste)) if open => (!paste.stalled || !paste.text.is_empty()).then_some(REST_WAIT),
            (_, Some(_)) => Some(GLUED),
            (State::Ground | State::Character(..), None) => None,
            (State::Escape, None) => Some(ESC_WAIT),
            _ => Some(REST_WAIT),
        };
        wait.map(|wait| self.last + wait)
    }

    /// Takes that nothing came until now.
    pub fn pause(&mut self, now: Duration) -> Vec<Event> {
        self.settle(now);
        std::mem::take(&mut self.out)
    }

    /// Takes what has waited for as long as it may.
    fn settle(&mut self, now: Duration) {
        if self.due().is_none_or(|due| now < due) {
            return;
        }
        match &mut self.paste {
            Some(Paste { matched: None, text, .. }) => {
                self.out.extend(pasted(text));
                self.paste = None;
            }
            Some(paste) => {
                paste.stalled = true;
                self.out.extend(paste.whole_characters());
                if paste.text.len() < 4 {
                    // The begin of a character whose rest does not come.
                    paste.text.clear();
                }
            }
            None => match std::mem::take(&mut self.state) {
                State::Escape => {
                    self.late_esc = Some(now);
                    self.out.push(Event::Key(KeyCode::Esc.into()));
                }
                state @ State::Character(..) => self.state = state,
                _ => {}
            },
        }
    }

    fn byte(&mut self, byte: u8) {
        if let Some(Paste { matched: Some(_), .. }) = self.paste {
            return self.in_paste(byte);
        }
        match std::mem::take(&mut self.state) {
            State::Ground => self.ground(byte),
            State::Character(bytes, length) => self.in_character(bytes, length, byte),
            State::Escape => self.escape(byte),
            State::Ss3 => self.ss3(byte),
            State::Csi(parameters) => self.csi(parameters, byte),
            // None of what is skipped holds such a byte.
            State::Skip(_) if byte < 0x20 => self.ground(byte),
            State::Skip(left) if left > 1 => self.state = State::Skip(left - 1),
            State::Skip(_) => {}
            State::Introduced(introducer) => {
                if begins_a_reply(introducer, byte) {
                    self.state = State::String(false);
                } else {
                    self.ground(byte);
                }
            }
            State::String(escaped) => self.in_string(escaped, byte),
        }
    }

    fn in_paste(&mut self, byte: u8) {
        let Some(paste) = &mut self.paste else { return };
        let matched = paste.matched.unwrap_or(0);
        if END_OF_PASTE.get(matched) == Some(&byte) {
            paste.matched = (matched + 1 < END_OF_PASTE.len()).then_some(matched + 1);
            return;
        }
        paste.push(&END_OF_PASTE[..matched]);
        if byte == ESC {
            paste.matched = Some(1);
        } else {
            paste.matched = Some(0);
            paste.push(&[byte]);
        }
    }

    fn ground(&mut self, byte: u8) {
        let control = |c: u8| (KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
        let (code, modifiers) = match byte {
            ESC => return self.state = State::Escape,
            b'\r' => (KeyCode::Enter, KeyModifiers::NONE),
            b'\t' => (KeyCode::Tab, KeyModifiers::NONE),
            0x7f => (KeyCode::Backspace, KeyModifiers::NONE),
            0 => control(b' '),
            0x01..=0x1a => control(byte - 1 + b'a'),
            0x1c..=0x1f => control(byte - 0x1c + b'4'),
            // The introducers in one byte.
            0x90 => return self.state = State::Introduced(b'P'),
            0x9b => return self.state = State::Csi(Vec::new()),
            0x9d => return self.state = State::Introduced(b']'),
            0x9f => return self.state = State::Introduced(b'_'),
            0xc2..=0xdf => return self.state = State::Character(vec![byte], 2),
            0xe0..=0xef => return self.state = State::Character(vec![byte], 3),
            0xf0..=0xf4 => return self.state = State::Character(vec![byte], 4),
            // No character begins so.
            0x80.. => return,
            _ => return self.character(char::from(byte)),
        };
        self.key(KeyEvent::new(code, modifiers));
    }

    fn in_character(&mut self, mut bytes: Vec<u8>, length: usize, byte: u8) {
        if !(0x80..=0xbf).contains(&byte) {
            self.alt = false;
            return self.ground(byte);
        }
        bytes.push(byte);
        if bytes.len() < length {
            self.state = State::Character(bytes, length);
            return;
        }
        match std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            Some(character) => self.character(character),
            None => self.alt = false,
        }
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'[' => self.state = State::Csi(Vec::new()),
            b'O' => self.state = State::Ss3,
            b']' | b'P' | b'_' => self.state = State::Introduced(byte),
            b'^' | b'X' => self.state = State::String(false),
            ESC => {
                self.key(KeyCode::Esc.into());
                self.state = State::Escape;
            }
            _ => {
                self.alt = true;
                self.ground(byte);
                // What is no key takes Alt with it.
                self.alt &= matches!(self.state, State::Character(..));
            }
        }
    }

    fn ss3(&mut self, byte: u8) {
        match byte {
            ESC => self.state = State::Escape,
            0..0x20 => self.ground(byte),
            _ => self.out_of_sequence(csi::ss3(byte)),
        }
    }

    fn csi(&mut self, mut parameters: Vec<u8>, byte: u8) {
        match byte {
            0x20..=0x3f => {
                if parameters.len() < LONGEST_CSI {
                    parameters.push(byte);
                }
                self.state = State::Csi(parameters);
            }
            // A function key of the Linux console, and a click from somebody who left the mouse on.
            b'[' if parameters.is_empty() => self.state = State::Skip(1),
            b'M' if parameters.is_empty() => self.state = State::Skip(3),
            b'~' if parameters == b"200" => {
                self.paste.get_or_insert_default().matched = Some(0);
            }
            0x40..=0x7e => self.out_of_sequence(csi::event(&parameters, byte)),
            _ => self.ground(byte),
        }
    }

    fn in_string(&mut self, escaped: bool, byte: u8) {
        match byte {
            b'\\' if escaped => {}
            _ if escaped => self.escape(byte),
            ESC => self.state = State::String(true),
            // BEL ends it, CAN and SUB break it off.
            0x07 | 0x18 | 0x1a => {}
            // No reply holds such a key: somebody types.
            0..0x20 => self.ground(byte),
            _ => self.state = State::String(false),
        }
    }

    fn out_of_sequence(&mut self, event: Option<Event>) {
        match event {
            Some(Event::Key(key)) => self.key(key),
            Some(event) => self.out.push(event),
            None => {}
        }
    }

    fn character(&mut self, character: char) {
        let shift = if character.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
        self.key(KeyEvent::new(KeyCode::Char(character), shift));
    }

    fn key(&mut self, mut key: KeyEvent) {
        if std::mem::take(&mut self.alt) {
            key.modifiers |= KeyModifiers::ALT;
        }
        let Some(paste) = &mut self.paste else { return self.out.push(Event::Key(key)) };
        let character = match key.code {
            KeyCode::Enter => '\n',
            KeyCode::Tab => '\t',
            KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => '\n',
            KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => c,
            _ => return,
        };
        paste.push(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Whether a terminal begins a string so. A hand that holds Alt sends the introducer, then what it types.
fn begins_a_reply(introducer: u8, byte: u8) -> bool {
    match introducer {
        b']' => byte.is_ascii_digit() || matches!(byte, b'l' | b'L' | b'I'),
        b'P' => byte.is_ascii_digit() || matches!(byte, b'>' | b'|' | b'!' | b'$' | b'+' | b'='),
        _ => byte == b'G',
    }
}

/// Whether one read goes on after an ESC that came long before: no hand types so much at once.
fn continues_a_sequence(bytes: &[u8]) -> bool {
    match bytes {
        [b'[', next, ..] => next.is_ascii_digit() || b"?<>=;IOABCDHFZ".contains(next),
        [introducer @ (b']' | b'P' | b'_'), next, _, ..] => begins_a_reply(*introducer, *next),
        _ => false,
    }
}
