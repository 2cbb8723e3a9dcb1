//! Words of a line: set apart by white space, with quoted parts and a comment at the end.

/// What is wrong, and at which byte of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slip {
    /// The byte of the line at which it is wrong, from 0.
    pub at: usize,
    /// What was expected and what came.
    pub message: String,
}

impl Slip {
    /// A slip at this byte.
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// One word, its quotes and escapes undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The byte where it begins.
    pub at: usize,
    /// What it says.
    pub text: String,
    /// Whether it begins with a quotation mark.
    pub quoted: bool,
}

/// The line without its comment: `#` at the beginning of a word that is nothing else, or of the line. So
/// `say ticket #5` keeps its number.
pub(super) fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    let (mut quoted, mut escaped, mut before) = (false, false, ' ');
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if quoted || before.is_whitespace() || matches!(before, ':' | '=') => quoted = !quoted,
            '#' if !quoted && before.is_whitespace() => {
                let after = line[at + 1..].chars().next();
                if after.is_none_or(char::is_whitespace) {
                    return &line[..at];
                }
            }
            _ => {}
        }
        before = c;
    }
    line
}

/// The words of a line without its comment.
pub(super) fn words(line: &str) -> Result<Vec<Word>, Slip> {
    let mut words: Vec<Word> = Vec::new();
    let mut current: Option<Word> = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            words.extend(current.take());
            continue;
        }
        let word = current.get_or_insert_with(|| Word { at, text: String::new(), quoted: c == '"' });
        if c == '"' {
            quoted(&mut chars, at, &mut word.text)?;
        } else {
            word.text.push(c);
        }
    }
    words.extend(current);
    Ok(words)
}

type Chars<'a> = std::iter::Peekable<std::str::CharIndices<'a>>;

/// Reads up to the closing quotation mark.
fn quoted(chars: &mut Chars, opened: usize, text: &mut String) -> Result<(), Slip> {
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => text.push(escape(chars, at)?),
            c => text.push(c),
        }
    }
    Err(Slip::new(opened, "this quotation mark is not closed on its line"))
}

fn escape(chars: &mut Chars, at: usize) -> Result<char, Slip> {
    let wrong = || Slip::new(at, "expected \\\", \\\\, \\n, \\t or \\u{HEX} after the backslash");
    match chars.next().map(|(_, c)| c) {
        Some(c @ ('"' | '\\')) => Ok(c),
        Some('n') => Ok('\n'),
        Some('t') => Ok('\t'),
        Some('u') => {
            chars.next_if(|(_, c)| *c == '{').ok_or_else(wrong)?;
            let digits: String = std::iter::from_fn(|| chars.next_if(|(_, c)| c.is_ascii_hexdigit()))
                .map(|(_, c)| c)
                .collect();
            chars.next_if(|(_, c)| *c == '}').ok_or_else(wrong)?;
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or_else(wrong)
        }
        _ => Err(wrong()),
    }
}
