//! The grammar of a line.

use std::path::Path;
use std::time::Duration;

use super::error::{ScenarioError, bounded};
use super::lexer::{Slip, Word, without_comment, words};
use super::script::{Action, EXPECT_WITHIN, Expectation, Scenario, Step, VERBS, What};
use crate::client::request::{Aim, Observe};
use crate::protocol::Event;
use crate::protocol::bounds;
use crate::protocol::observation::Intent;
use crate::protocol::rules;
use crate::redact::{could_be_id, mask_uid_values};

/// The longest time that can be written.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// Most wrong lines of one file that are told.
const SLIPS: usize = 10;
/// From which likeness on, of 1, an event is proposed in the place of another word.
const LIKE: f64 = 0.6;

/// Reads a scenario. `file` is its name as it was given: it stands in messages, and relative paths in the
/// script start from its directory.
///
/// # Errors
/// The first line that cannot be read, with file, line and column, and the further ones.
pub fn parse(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading::new(file);
    let mut errors: Vec<ScenarioError> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let slip = |slip: Slip| ScenarioError::new(file, index + 1, line, slip.at, &slip.message);
        match reading.line(without_comment(line)).map_err(slip) {
            Ok(Some(action)) => {
                reading.scenario.notes.extend(unusual(file, index + 1, line, &action));
                reading.scenario.steps.push(Step { line: index + 1, action });
            }
            Ok(None) => {}
            Err(error) if errors.len() < SLIPS => errors.push(error),
            Err(_) => {}
        }
    }
    let mut errors = errors.into_iter();
    if let Some(first) = errors.next() {
        return Err(ScenarioError { also: errors.collect(), ..first });
    }
    if reading.scenario.steps.is_empty() {
        let message = format!("there is no step in it; a step begins with {}", listed(VERBS));
        return Err(ScenarioError::new(file, 1, text.lines().next().unwrap_or_default(), 0, &message));
    }
    Ok(reading.scenario)
}

/// A note on an event that the profile does not name, most likely a slip. Quotation marks say that it is meant.
fn unusual(file: &str, number: usize, line: &str, action: &Action) -> Option<String> {
    let Action::Expect(Expectation { what: What::Event(kind), .. }) = action else { return None };
    if Event::KINDS.contains(&kind.as_str()) || without_comment(line).contains('"') {
        return None;
    }
    let nearest = Event::KINDS
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(kind, known), known))
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .map(|(_, known)| format!("; did you mean {known}?"));
    let nearest = nearest.unwrap_or_default();
    Some(format!(
        "{file}:{number}: the profile names no event {}{nearest} (In quotation marks it is taken as meant.)",
        told(kind)
    ))
}

struct Reading<'a> {
    directory: &'a Path,
    scenario: Scenario,
    ended: bool,
}

impl<'a> Reading<'a> {
    fn new(file: &'a str) -> Self {
        let directory = Path::new(file).parent().unwrap_or(Path::new(""));
        let scenario = Scenario {
            file: file.to_owned(),
            reader: None,
            camera: None,
            notes: Vec::new(),
            steps: Vec::new(),
        };
        Self { directory, scenario, ended: false }
    }

    fn line(&mut self, line: &str) -> Result<Option<Action>, Slip> {
        let Some(start) = line.find(|c: char| !c.is_whitespace()) else { return Ok(None) };
        let verb = line[start..].split_whitespace().next().unwrap_or_default();
        let after = start + verb.len();
        let action = match verb {
            // The text of a turn is taken as it stands; only a quotation mark at its beginning counts.
            "say" => say(line, after)?,
            "talk" | "hear" | "scan" | "capture" | "observe" | "expect" | "cancel" | "wait" | "end" => {
                let mut rest = words(line)?.into_iter().skip(1).peekable();
                let action = match verb {
                    "scan" => self.observe("scan", line, rest.by_ref())?,
                    "capture" => self.observe("capture", line, rest.by_ref())?,
                    "observe" => self.observe("observe", line, rest.by_ref())?,
                    "talk" => self.talk(line, rest.by_ref())?,
                    "hear" => hear(line, rest.by_ref())?,
                    "expect" => expect(line, rest.by_ref())?,
                    "wait" => Action::Wait(duration(rest.next(), line)?),
                    "cancel" => Action::Cancel,
                    _ => Action::End,
                };
                if let Some(word) = rest.next() {
                    return Err(Slip::new(
                        word.at,
                        format!("expected the end of the line, came {}", told(&word.text)),
                    ));
                }
                action
            }
            other => {
                return Err(Slip::new(start, format!("expected {}, came {}", listed(VERBS), told(other))));
            }
        };
        if self.ended && action.acts() {
            return Err(Slip::new(
                start,
                format!("nothing can be sent after end; {verb} must stand before it"),
            ));
        }
        self.ended |= action == Action::End;
        Ok(Some(action))
    }

    fn observe(
        &mut self,
        verb: &'static str,
        line: &str,
        words: impl Iterator<Item = Word>,
    ) -> Result<Action, Slip> {
        let (takes_tag, takes_picture) = (verb != "capture", verb != "scan");
        let mut out = Parts::default();
        for word in words {
            let (key, value) = split(&word.text);
            let source = match key {
                "tag:" if takes_tag => once(&mut out.tag, &word, self.tag(value)),
                "reader:" if takes_tag => {
                    self.reader(&word, value)?;
                    once(&mut out.tag, &word, String::new())
                }
                "file:" if takes_picture => once(&mut out.picture, &word, self.path(value)),
                "camera:" if takes_picture => {
                    self.camera(&word, value)?;
                    once(&mut out.picture, &word, String::new())
                }
                "passport:" if takes_tag => once(&mut out.passport, &word, self.path(value)),
                "intent=" => once(&mut out.intent, &word, intent(&word, value)?),
                "insist" if takes_tag => once(&mut out.insist, &word, ()),
                "unrelated" => once(&mut out.aim, &word, Aim::Unrelated),
                _ => {
                    return Err(Slip::new(
                        word.at,
                        format!("expected {}, came {}", parts_of(verb), told_part(&word.text)),
                    ));
                }
            };
            source?;
            if value.is_empty() && !matches!(key, "unrelated" | "insist") {
                return Err(Slip::new(word.at + key.len(), format!("expected something after {key}")));
            }
        }
        let missing = match (takes_tag && out.tag.is_none(), takes_picture && out.picture.is_none()) {
            (true, _) => "tag:PATH, tag:uid=HEX or reader:\"NAME\"",
            (_, true) => "file:PATH or camera:\"NAME\"",
            _ => return Ok(Action::Observe { verb, observe: out.finish() }),
        };
        Err(Slip::new(line.trim_end().len(), format!("expected {missing} after {verb}")))
    }

    fn talk(&self, line: &str, words: impl Iterator<Item = Word>) -> Result<Action, Slip> {
        let (mut file, mut dropped) = (None, None);
        for word in words {
            match split(&word.text) {
                ("file:", "") => {
                    return Err(Slip::new(word.at + "file:".len(), "expected something after file:"));
                }
                ("file:", value) => once(&mut file, &word, self.path(value))?,
                ("cancel", _) => once(&mut dropped, &word, ())?,
                _ => {
                    let message = format!("expected file:PATH or cancel, came {}", told(&word.text));
                    return Err(Slip::new(word.at, message));
                }
            }
        }
        if file.is_none() && dropped.is_none() {
            return Err(Slip::new(line.trim_end().len(), "expected file:PATH or cancel after talk"));
        }
        Ok(Action::Talk { file, drop: dropped.is_some() })
    }

    fn tag(&self, value: &str) -> String {
        if value.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("uid=")) {
            return value.to_owned();
        }
        self.path(value)
    }

    /// Relative paths start from the directory of the scenario.
    fn path(&self, value: &str) -> String {
        if value.is_empty() {
            String::new()
        } else {
            self.directory.join(value).to_string_lossy().into_owned()
        }
    }

    fn reader(&mut self, word: &Word, name: &str) -> Result<(), Slip> {
        one_device(&mut self.scenario.reader, word, "reader", name)
    }

    fn camera(&mut self, word: &Word, name: &str) -> Result<(), Slip> {
        one_device(&mut self.scenario.camera, word, "camera", name)
    }
}

/// The engine holds one reader and one camera, so a scenario cannot change them half-way.
fn one_device(chosen: &mut Option<String>, word: &Word, kind: &str, name: &str) -> Result<(), Slip> {
    match chosen {
        Some(other) if other != name => Err(Slip::new(
            word.at,
            format!("this scenario already uses the {kind} {}; it can use one", told(other)),
        )),
        _ => {
            *chosen = Some(name.to_owned()).filter(|name| !name.is_empty());
            Ok(())
        }
    }
}

#[derive(Default)]
struct Parts {
    tag: Option<String>,
    picture: Option<String>,
    intent: Option<Intent>,
    aim: Option<Aim>,
    passport: Option<String>,
    insist: Option<()>,
}

impl Parts {
    fn finish(self) -> Observe {
        Observe {
            tag: self.tag,
            picture: self.picture,
            intent: self.intent.unwrap_or_default(),
            aim: self.aim.unwrap_or_default(),
            passport: self.passport,
            insist: self.insist.is_some(),
        }
    }
}

fn once<T>(slot: &mut Option<T>, word: &Word, value: T) -> Result<(), Slip> {
    if slot.replace(value).is_some() {
        let (key, _) = split(&word.text);
        return Err(Slip::new(word.at, format!("{key} says again what already stands on this line")));
    }
    Ok(())
}

/// `tag:x` is `tag:` and `x`, `intent=x` is `intent=` and `x`.
fn split(word: &str) -> (&str, &str) {
    word.split_at(word.find([':', '=']).map_or(word.len(), |at| at + 1))
}

fn parts_of(verb: &str) -> &'static str {
    match verb {
        "scan" => "tag:PATH, tag:uid=HEX, reader:\"NAME\", intent=…, passport:FILE, insist or unrelated",
        "capture" => "file:PATH, camera:\"NAME\", intent=… or unrelated",
        _ => "tag:… or reader:…, file:… or camera:…, intent=…, passport:FILE, insist or unrelated",
    }
}

fn intent(word: &Word, value: &str) -> Result<Intent, Slip> {
    Intent::from_name(value).ok_or_else(|| {
        let names = Intent::ALL.map(Intent::name);
        Slip::new(word.at + "intent=".len(), format!("expected {}, came {}", listed(&names), told(value)))
    })
}

fn say(line: &str, after: usize) -> Result<Action, Slip> {
    let raw = line[after..].trim();
    let at = line.len() - line[after..].trim_start().len();
    let text = if raw.starts_with('"') {
        match &words(line)?[..] {
            [_, word] => word.text.clone(),
            [_, _, more, ..] => {
                let message = "expected the end of the line after the quoted text";
                return Err(Slip::new(more.at, message));
            }
            _ => String::new(),
        }
    } else {
        raw.to_owned()
    };
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Err(Slip::new(line.trim_end().len(), "expected a text after say"));
    }
    if length > bounds::TURN_TEXT {
        let message = format!("the text has {length} characters, at most {} are allowed", bounds::TURN_TEXT);
        return Err(Slip::new(at, message));
    }
    Ok(Action::Say(text))
}

fn expect(line: &str, mut words: impl Iterator<Item = Word>) -> Result<Action, Slip> {
    let kinds = "text \"…\", event TYPE, failure, finding RULE, or no before one of them";
    let end = line.trim_end().len();
    let missing = |what: &str| Slip::new(end, format!("expected {what}"));
    let mut kind = words.next().ok_or_else(|| missing(kinds))?;
    let absent = kind.text == "no" && !kind.quoted;
    if absent {
        kind = words.next().ok_or_else(|| missing(kinds))?;
    }
    let mut words = words.peekable();
    let what = match kind.text.as_str() {
        "text" => {
            let word = words.next().filter(|w| !w.text.is_empty());
            let word = word.ok_or_else(|| missing("a text, such as \"do not know\", after expect text"))?;
            What::Text(word.text)
        }
        "event" => {
            let word =
                words.next().ok_or_else(|| missing("a type, such as run.completed, after expect event"))?;
            What::Event(word.text)
        }
        "failure" => What::Failure(words.next_if(|word| word.text != "within").map(|word| word.text)),
        "finding" => {
            let word = words.next().ok_or_else(|| missing("a rule, such as ENV-2, after expect finding"))?;
            let rule = rules::by_id(&word.text)
                .ok_or_else(|| Slip::new(word.at, format!("no rule has the id {}", told(&word.text))))?;
            What::Finding(rule.id)
        }
        _ => return Err(Slip::new(kind.at, format!("expected {kinds}; came {}", told(&kind.text)))),
    };
    let within = match words.next() {
        Some(word) if word.text == "within" && !word.quoted => Some(duration(words.next(), line)?),
        Some(word) => {
            let hint = if matches!(what, What::Text(_)) {
                "; a text with spaces stands in quotation marks"
            } else {
                ""
            };
            let message = format!("expected within or the end of the line, came {}{hint}", told(&word.text));
            return Err(Slip::new(word.at, message));
        }
        None => None,
    };
    match words.next() {
        Some(word) => {
            Err(Slip::new(word.at, format!("expected the end of the line, came {}", told(&word.text))))
        }
        None => Ok(Action::Expect(Expectation { what, absent, within })),
    }
}

fn hear(line: &str, mut words: impl Iterator<Item = Word>) -> Result<Action, Slip> {
    match words.next() {
        None => Ok(Action::Hear(EXPECT_WITHIN)),
        Some(word) if word.text == "within" && !word.quoted => {
            Ok(Action::Hear(duration(words.next(), line)?))
        }
        Some(word) => {
            let message = format!("expected within or the end of the line, came {}", told(&word.text));
            Err(Slip::new(word.at, message))
        }
    }
}

/// `500ms`, `5s`, `1.5s`, `2m`.
fn duration(word: Option<Word>, line: &str) -> Result<Duration, Slip> {
    let expected = "expected a time such as 500ms, 5s or 2m";
    let Some(word) = word else { return Err(Slip::new(line.trim_end().len(), expected)) };
    let wrong = || Slip::new(word.at, format!("{expected}, came {}", told(&word.text)));
    let unit = word.text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
    let (number, unit) = word.text.split_at(unit);
    let digits = number.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let number: f64 = number.parse().ok().filter(|_| digits).ok_or_else(wrong)?;
    let seconds = match unit {
        "ms" => number / 1_000.0,
        "s" => number,
        "m" => number * 60.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| *time <= LONGEST)
        .ok_or_else(|| Slip::new(word.at, "expected at most a day"))
}

/// A word of the user's, as it may be repeated: never the value of a `uid=`, and not without end.
fn told(word: &str) -> String {
    format!("{:?}", bounded(&mask_uid_values(word)))
}

/// A word where a tag may stand: a part of an id that spaces set apart is not repeated either.
fn told_part(word: &str) -> String {
    if could_be_id(word) { "\"…\"".to_owned() } else { told(word) }
}

/// `a, b or c`.
fn listed(names: &[&str]) -> String {
    match names {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        _ => names.concat(),
    }
}
