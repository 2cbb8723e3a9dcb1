//! Reads the file: TOML, each key from the table, each error with line, column and key.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::table::{KEYS, Layer};
use crate::files;
use crate::protocol::Dialect;

/// Largest file in bytes.
const MOST: usize = 256 * 1024;
/// Names under which somebody might put a token, which never stands in the file.
const SECRETS: &[&str] = &["token", "bearer", "authorization", "password", "secret", "api_key", "auth"];

/// Reads the file at `path`; a file that was not named may be missing.
pub(super) fn load(path: &Path, named: bool) -> Result<Option<Layer>, ConfigError> {
    let read = |source| ConfigError::Read { path: path.to_owned(), source };
    let bytes = match files::read_at_most(path, MOST) {
        Ok(bytes) => bytes,
        Err(error) if !named && is_absent(&error) => return Ok(None),
        Err(error) => return Err(read(error)),
    };
    if bytes.len() > MOST {
        return Err(ConfigError::TooLarge { path: path.to_owned(), most: MOST });
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| read(std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8")))?;
    read_text(path, &text).map(Some)
}

/// Reads the text of a file at `path`, which errors name. Relative paths in it start from its directory. Opens
/// nothing: [`super::resolve`] does.
///
/// # Errors
/// [`ConfigError::Line`] with line, column and key; values of keys that look like secrets are not repeated.
pub fn read_text(path: &Path, text: &str) -> Result<Layer, ConfigError> {
    let reading = Reading { path, text };
    let table = DeTable::parse(text).map_err(|error| {
        reading.error(
            error.span().unwrap_or_default(),
            format!("this cannot be read as TOML: {}", error.message()),
        )
    })?;
    let mut layer = Layer::default();
    let directory = path.parent().unwrap_or(Path::new(""));
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        match name {
            "dialect" => layer.dialect = Some(reading.dialect(value)?),
            "keys" => layer.keys = Some(reading.keys(value)?),
            _ => match layer.take(name, value.get_ref(), directory) {
                Some(Some(())) => {}
                Some(None) => return Err(reading.mismatch(name, value)),
                None => return Err(reading.unknown(key)),
            },
        }
    }
    Ok(layer)
}

struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reading<'_> {
    fn error(&self, at: Range<usize>, message: String) -> ConfigError {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ConfigError::Line { path: PathBuf::from(self.path), line, column, message }
    }

    fn mismatch(&self, name: &str, value: &Spanned<DeValue<'_>>) -> ConfigError {
        let expected = KEYS.iter().find(|key| key.name == name).map_or("something else", |key| key.kind);
        let came = kind(value.get_ref(), expected);
        self.error(value.span(), format!("{name}: expected {expected}, came {came}"))
    }

    fn unknown(&self, key: &Spanned<std::borrow::Cow<'_, str>>) -> ConfigError {
        let name = key.get_ref();
        if SECRETS.contains(&name.to_lowercase().replace('-', "_").as_str()) {
            let message = format!(
                "{name}: a token never stands in the configuration; put it into an environment variable and name that \
                 in token_env, or into a file and name that in token_file"
            );
            return self.error(key.span(), message);
        }
        let names = KEYS.iter().map(|key| key.name).chain(["dialect", "keys"]);
        let hint = match nearest(name, names.clone()) {
            Some(near) => format!("; did you mean {near}?"),
            None => format!("; there are {}", names.collect::<Vec<_>>().join(", ")),
        };
        self.error(key.span(), format!("there is no setting {}{hint}", bounded(name)))
    }

    fn table<'t, 'd>(
        &self,
        name: &str,
        value: &'t Spanned<DeValue<'d>>,
    ) -> Result<&'t DeTable<'d>, ConfigError> {
        let came =
            || format!("{name}: expected a table, [{name}], came {}", kind(value.get_ref(), "a table"));
        value.get_ref().as_table().ok_or_else(|| self.error(value.span(), came()))
    }

    /// `[keys]`: command id to key. The registry knows which there are.
    fn keys(&self, value: &Spanned<DeValue<'_>>) -> Result<BTreeMap<String, String>, ConfigError> {
        let entry = |(id, key): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let id = id.get_ref().to_string();
            match key.get_ref().as_str() {
                Some(key) => Ok((id, key.to_owned())),
                None => {
                    let came = kind(key.get_ref(), "a key in quotation marks");
                    let message =
                        format!("keys.{}: expected a key in quotation marks, came {came}", bounded(&id));
                    Err(self.error(key.span(), message))
                }
            }
        };
        self.table("keys", value)?.iter().map(entry).collect()
    }

    /// `[dialect]`: any of its names, over the default ones.
    fn dialect(&self, value: &Spanned<DeValue<'_>>) -> Result<Dialect, ConfigError> {
        let mut all = defaults();
        for (key, value) in self.table("dialect", value)? {
            let name: &str = key.get_ref();
            let Some(default) = all.get(name).cloned() else {
                let names = all.keys().map(String::as_str);
                let hint = nearest(name, names.clone()).map_or_else(
                    || format!("; there are {}", names.collect::<Vec<_>>().join(", ")),
                    |near| format!("; did you mean {near}?"),
                );
                return Err(
                    self.error(key.span(), format!("there is no name {} in [dialect]{hint}", bounded(name)))
                );
            };
            let expected = match (&default, name) {
                (_, "interaction_id") => "\"message\" or \"observation\"",
                (Value::Array(_), _) => "a list of JSON pointers",
                _ => "a name in quotation marks",
            };
            let wrong = || {
                let came = kind(value.get_ref(), expected);
                self.error(value.span(), format!("dialect.{name}: expected {expected}, came {came}"))
            };
            let json = json_of(value.get_ref()).filter(is_sound).ok_or_else(wrong)?;
            all.insert(name.to_owned(), json);
            serde_json::from_value::<Dialect>(Value::Object(all.clone())).map_err(|_| wrong())?;
        }
        serde_json::from_value(Value::Object(all))
            .map_err(|_| self.error(value.span(), "dialect: these names do not go together".to_owned()))
    }
}

/// The names of the default dialect.
pub(super) fn defaults() -> Map<String, Value> {
    match serde_json::to_value(Dialect::default()) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// A name on the wire is short and not empty.
fn is_sound(json: &Value) -> bool {
    match json {
        Value::String(text) => (1..=64).contains(&text.chars().count()),
        Value::Array(items) => !items.is_empty() && items.len() <= 8 && items.iter().all(is_sound),
        _ => false,
    }
}

fn json_of(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::String(text.to_string())),
        DeValue::Array(items) => items.iter().map(|item| json_of(item.get_ref())).collect(),
        _ => None,
    }
}

/// What came instead of `expected`, without the value.
fn kind(value: &DeValue<'_>, expected: &str) -> &'static str {
    match value {
        DeValue::String(_)
            if ["quotation", "\"message\"", "the name"].iter().any(|w| expected.contains(w)) =>
        {
            "another text"
        }
        DeValue::String(_) => "a text",
        DeValue::Array(_) if !expected.contains("a list") => "a list",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "another list",
        DeValue::Table(_) => "a table",
    }
}

/// Whether there is no such file, or no such directory for it to be in.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// A key as it may be repeated.
fn bounded(name: &str) -> String {
    let short: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    format!("{short:?}")
}

/// The name that `name` was probably meant to be: at most two slips, and fewer than half of its letters.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name: String = name.to_lowercase().replace('-', "_").chars().take(64).collect();
    let near = |slips: usize| slips <= 2 && slips * 2 < name.chars().count();
    let slips = |known: &'a str| (strsim::levenshtein(&name, known), known);
    names.map(slips).filter(|(slips, _)| near(*slips)).min().map(|(_, known)| known)
}
