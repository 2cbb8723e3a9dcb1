//! Where a subcommand writes: standard output and standard error, as text or as JSON lines.
//!
//! With `--json` standard output holds one JSON object a line and nothing else, errors too; without it,
//! errors go to standard error. Text for a terminal passes through [`SafeText`] here, and nowhere else.

use std::io::{self, Write};

use super::exit::Failure;
use crate::discovery::CardRecord;
use crate::redact::{Scrubber, Token};
use crate::safe_text::SafeText;
use crate::trace::output::{ErrorLine, ErrorRecord, FrameLine, OutputLine};

/// For whom it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// People.
    Text,
    /// Programs: `--json`.
    Json,
}

/// The two ends.
pub struct Printer<'a> {
    form: Form,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    secrets: Scrubber,
    /// What waits for the next flush.
    held: Vec<u8>,
    /// Whether standard error is a terminal on which a line can be written over.
    is_live: bool,
    /// Whether such a line stands there.
    is_counting: bool,
}

/// Bytes that may wait for a flush; more are written at once.
const HELD: usize = 64 * 1024;

impl<'a> Printer<'a> {
    /// Writes to these.
    pub fn new(form: Form, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self {
            form,
            out,
            err,
            secrets: Scrubber::new(),
            held: Vec::new(),
            is_live: false,
            is_counting: false,
        }
    }

    /// The same with a standard error on which a line can be written over, or not.
    #[must_use]
    pub fn live(self, is_live: bool) -> Self {
        Self { is_live, ..self }
    }

    /// From now on writes neither text nor failures that hold this token: an agent may repeat it in its card, in an
    /// address to which it redirects, or in a refusal. Frames come scrubbed by the engine, and pass as they are.
    pub fn hide(&mut self, token: &Token) {
        self.secrets.add_token(token);
    }

    /// For whom it writes.
    pub fn form(&self) -> Form {
        self.form
    }

    /// One line of text on standard output, made safe.
    ///
    /// # Errors
    /// A failure of kind `BrokenPipe` when nobody reads, of kind `Usage` when it cannot be written.
    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        let text = SafeText::line(&self.secrets.scrub(text));
        self.write(text.as_str())
    }

    /// One JSON line on standard output. What a terminal would obey or hide is escaped, which changes no value.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub fn json(&mut self, line: &OutputLine<CardRecord>) -> Result<(), Failure> {
        self.json_soon(line)?;
        self.flush()
    }

    /// The same, written with what comes next, or when there is much of it: for lines that come in bursts. Whoever
    /// uses it calls [`Self::flush`] before waiting for anything.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub fn json_soon(&mut self, line: &OutputLine<CardRecord>) -> Result<(), Failure> {
        let line = self.rendered(line);
        push_escaped(&mut self.held, &line);
        self.held_line()
    }

    /// The same for the line of a frame, which the engine has scrubbed, as JSON already: what stands before the frame,
    /// see [`FrameLine::head`], and the frame.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub fn frame_soon(&mut self, head: &str, frame: &str) -> Result<(), Failure> {
        self.held.extend_from_slice(head.as_bytes());
        push_escaped(&mut self.held, frame);
        self.held.extend_from_slice(FrameLine::TAIL.as_bytes());
        self.held_line()
    }

    fn held_line(&mut self) -> Result<(), Failure> {
        self.held.push(b'\n');
        if self.held.len() < HELD { Ok(()) } else { self.flush() }
    }

    fn rendered(&self, line: &OutputLine<CardRecord>) -> String {
        let as_it_is = self.secrets.knows_nothing() || matches!(line, OutputLine::Frame(_));
        let scrubbed = (!as_it_is).then(|| serde_json::to_value(line).ok()).flatten();
        scrubbed.map_or_else(|| line.to_line(), |value| self.secrets.scrub_value(value).to_string())
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub fn flush(&mut self) -> Result<(), Failure> {
        if self.held.is_empty() {
            return Ok(());
        }
        let written = self.out.write_all(&self.held).and_then(|()| self.out.flush());
        self.held.clear();
        written.map_err(|error| Failure::output(&error))
    }

    /// Bytes that the program has made itself: a man page, a completion script.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.held.extend_from_slice(bytes);
        self.flush()
    }

    fn write(&mut self, line: &str) -> Result<(), Failure> {
        self.held.extend_from_slice(line.as_bytes());
        self.held.push(b'\n');
        self.flush()
    }

    /// Says a failure: as a JSON line on standard output, or as a sentence on standard error, also where standard output
    /// takes nothing. A failure to say it there is passed over: the exit code still tells.
    pub fn failure(&mut self, failure: &Failure) {
        if failure.message.is_empty() {
            return;
        }
        let is_said = self.form == Form::Json && self.json(&error_line(failure)).is_ok();
        if !is_said {
            drop(self.say(failure));
        }
    }

    fn say(&mut self, failure: &Failure) -> io::Result<()> {
        writeln!(self.err, "agentcall: {}", SafeText::line(&self.secrets.scrub(&failure.message)))?;
        if let Some(hint) = &failure.hint {
            writeln!(self.err, "hint: {}", SafeText::line(&self.secrets.scrub(hint)))?;
        }
        self.err.flush()
    }

    /// A line beside the output that is no failure, on standard error and only for people.
    pub fn aside(&mut self, text: &str) {
        if self.form == Form::Text {
            let _nobody_listens = writeln!(self.err, "{}", SafeText::line(&self.secrets.scrub(text)));
        }
    }
}

impl Printer<'_> {
    /// Whether [`Self::countdown`] shows something.
    pub fn is_live(&self) -> bool {
        self.is_live && self.form == Form::Text
    }

    /// A line that the next one writes over, for people at a terminal only; an empty text takes it away.
    pub fn countdown(&mut self, text: &str) {
        if !self.is_live || self.form != Form::Text || (text.is_empty() && !self.is_counting) {
            return;
        }
        self.is_counting = !text.is_empty();
        let columns = crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns));
        let text = SafeText::line(&self.secrets.scrub(text)).cut(columns.saturating_sub(1));
        let _nobody_looks = write!(self.err, "\r{text}\u{1b}[K").and_then(|()| self.err.flush());
    }
}

fn error_line(failure: &Failure) -> OutputLine<CardRecord> {
    OutputLine::Error(ErrorLine {
        error: ErrorRecord {
            kind: failure.kind.name().to_owned(),
            message: failure.message.clone(),
            hint: failure.hint.clone(),
        },
    })
}

/// JSON itself escapes only U+0000 to U+001F; here the other controls, direction marks and invisible
/// characters are escaped too, since the line may end up on a terminal. They stand only inside strings.
fn push_escaped(out: &mut Vec<u8>, line: &str) {
    let is_plain = |byte: u8| byte < 0x7f;
    // Without a branch for each byte, which compilers turn into one for many: most lines end here.
    if line.bytes().fold(true, |so_far, byte| so_far & is_plain(byte)) {
        return out.extend_from_slice(line.as_bytes());
    }
    let (mut rest, mut from) = (line, 0);
    while let Some(at) = rest.as_bytes()[from..].iter().position(|byte| !is_plain(*byte)) {
        let (before, here) = rest.split_at(from + at);
        let c = here.chars().next().expect("a character stands there");
        from = before.len() + c.len_utf8();
        if is_hidden(c) {
            out.extend_from_slice(before.as_bytes());
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
            (rest, from) = (&here[c.len_utf8()..], 0);
        }
    }
    out.extend_from_slice(rest.as_bytes());
}

fn is_hidden(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::Kind;

    #[test]
    fn escaping_hides_nothing_and_changes_no_value() {
        let text = "a\u{9b}31m\u{202e}b\u{200d}\u{e0041}\u{1b}[2J é 漢";
        let line = serde_json::to_string(text).unwrap();
        let mut shown = Vec::new();
        push_escaped(&mut shown, &line);
        let shown = String::from_utf8(shown).unwrap();
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        assert_eq!(SafeText::line(&shown).as_str(), shown);
    }

    #[test]
    fn an_error_goes_where_its_reader_looks() {
        let failure = Failure::new(Kind::Card, "no\u{1b}card").hint("look \u{202e}there".to_owned());
        for (form, out_has, err_has) in [
            (
                Form::Json,
                r#"{"error":{"kind":"card","message":"No\u001bcard.","hint":"look \u202ethere"}}"#,
                "",
            ),
            (Form::Text, "", "agentcall: No␛card.\nhint: look ⟨U+202E⟩there\n"),
        ] {
            let (mut out, mut err) = (Vec::new(), Vec::new());
            Printer::new(form, &mut out, &mut err).failure(&failure);
            assert_eq!(String::from_utf8(out).unwrap().trim_end(), out_has);
            assert_eq!(String::from_utf8(err).unwrap(), err_has);
        }
    }
}
