//! How each kind of setting is read from TOML and from a variable, and how it is shown.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::de::DeValue;

use crate::net::ProxyChoice;
use crate::protocol::{Modalities, Modality};

/// A kind of setting.
pub trait Setting: Sized {
    /// What is expected, in plain words: `expected …`.
    const KIND: &'static str;

    /// Reads a TOML value; relative paths start from `directory`.
    fn from_toml(value: &DeValue<'_>, directory: &Path) -> Option<Self>;

    /// Reads the value of an environment variable.
    fn from_text(text: &str) -> Option<Self>;

    /// As it would stand in the file; empty when there is none.
    fn shown(&self) -> String;
}

impl Setting for bool {
    const KIND: &'static str = "true or false";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        value.as_bool()
    }

    fn from_text(text: &str) -> Option<Self> {
        match text {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        }
    }

    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Setting for String {
    const KIND: &'static str = "a text in quotation marks that is not empty";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        Self::from_text(value.as_str()?)
    }

    fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

/// The name of an environment variable. A token pasted in its place is refused by its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvName(pub String);

impl Setting for EnvName {
    const KIND: &'static str =
        "the name of an environment variable (capitals, digits and _), and never the token itself";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        Self::from_text(value.as_str()?)
    }

    fn from_text(text: &str) -> Option<Self> {
        let named = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let fits = text.starts_with(|c: char| !c.is_ascii_digit()) && text.chars().all(named);
        (fits && text.len() <= 128).then(|| Self(text.to_owned()))
    }

    fn shown(&self) -> String {
        self.0.shown()
    }
}

impl Setting for PathBuf {
    const KIND: &'static str = "a path in quotation marks";

    fn from_toml(value: &DeValue<'_>, directory: &Path) -> Option<Self> {
        let path = value.as_str().filter(|path| !path.is_empty())?;
        Some(directory.join(path))
    }

    fn from_text(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self::from(text))
    }

    fn shown(&self) -> String {
        format!("{:?}", self.display().to_string())
    }
}

impl Setting for Vec<PathBuf> {
    const KIND: &'static str = "a list of paths";

    fn from_toml(value: &DeValue<'_>, directory: &Path) -> Option<Self> {
        value.as_array()?.iter().map(|item| PathBuf::from_toml(item.get_ref(), directory)).collect()
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(std::env::split_paths(text).filter(|path| !path.as_os_str().is_empty()).collect())
    }

    fn shown(&self) -> String {
        format!("[{}]", self.iter().map(Setting::shown).collect::<Vec<_>>().join(", "))
    }
}

impl Setting for Modalities {
    const KIND: &'static str = "a list of \"nfc\" and \"photo\", each at most once";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        distinct(value.as_array()?.iter().map(|item| item.get_ref().as_str()))
    }

    fn from_text(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self::NONE);
        }
        distinct(text.split(',').map(|name| Some(name.trim())))
    }

    fn shown(&self) -> String {
        let names: Vec<String> = self.iter().map(|modality| format!("{:?}", modality.name())).collect();
        format!("[{}]", names.join(", "))
    }
}

fn distinct<'a>(mut names: impl Iterator<Item = Option<&'a str>>) -> Option<Modalities> {
    names.try_fold(Modalities::NONE, |set, name| {
        let modality = Modality::from_name(name?)?;
        (!set.contains(modality)).then(|| set.with(modality))
    })
}

/// A time, written `500ms`, `20s` or `2m`; at most an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Duration);

impl Time {
    /// A number of seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        if millis.is_multiple_of(1_000) { write!(f, "{}s", millis / 1_000) } else { write!(f, "{millis}ms") }
    }
}

impl Setting for Time {
    const KIND: &'static str =
        "a time in quotation marks such as \"500ms\", \"20s\" or \"2m\", at most an hour";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        Self::from_text(value.as_str()?)
    }

    fn from_text(text: &str) -> Option<Self> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let number: u64 = number.parse().ok()?;
        let millis = match unit {
            "ms" => Some(number),
            "s" => number.checked_mul(1_000),
            "m" => number.checked_mul(60_000),
            _ => None,
        }?;
        (1..=3_600_000).contains(&millis).then(|| Self(Duration::from_millis(millis)))
    }

    fn shown(&self) -> String {
        format!("\"{self}\"")
    }
}

/// Names of devices, as a person gives them: one or more, each different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<String>);

/// Most devices that can be named at once.
const MOST_NAMES: usize = 16;

impl Names {
    /// These names; `None` when there is none, an empty one, one twice, or more than 16.
    pub fn new(names: impl IntoIterator<Item = String>) -> Option<Self> {
        let names: Vec<String> = names.into_iter().collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        let fits = (1..=MOST_NAMES).contains(&names.len()) && distinct.len() == names.len();
        (fits && names.iter().all(|name| !name.trim().is_empty())).then_some(Self(names))
    }

    /// The names, in the order in which they were given.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl Setting for Names {
    const KIND: &'static str =
        "\"auto\", \"simulated\", a name in quotation marks, or a list of names that are all different";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        let text = |value: &DeValue<'_>| value.as_str().map(str::to_owned);
        match value {
            DeValue::Array(items) => {
                Self::new(items.iter().map(|item| text(item.get_ref())).collect::<Option<Vec<_>>>()?)
            }
            one => Self::new([text(one)?]),
        }
    }

    /// Several names stand apart by semicolons: the names of readers hold commas, `Watchdata System Co., Ltd.`
    fn from_text(text: &str) -> Option<Self> {
        Self::new(text.split(';').map(|name| name.trim().to_owned()))
    }

    fn shown(&self) -> String {
        match self.0.as_slice() {
            [one] => one.shown(),
            names => format!("[{}]", names.iter().map(Setting::shown).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// A program and its arguments, as they are: no shell reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine(Vec<String>);

/// Most words of a command, and most bytes of one.
const MOST_WORDS: (usize, usize) = (64, 4_096);

impl CommandLine {
    /// These words, the program first; `None` when there is none or more than 64, no program, or a word that no program can
    /// be given.
    pub fn new(words: Vec<String>) -> Option<Self> {
        let (most, longest) = MOST_WORDS;
        let fits = words.len() <= most && words.first().is_some_and(|program| !program.is_empty());
        (fits && words.iter().all(|word| word.len() <= longest && !word.contains('\0')))
            .then_some(Self(words))
    }

    /// The words.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl Setting for CommandLine {
    const KIND: &'static str = "a list of texts, the program first, such as [\"espeak-ng\", \"--stdin\"]";

    /// A program that is named by its path starts from the directory, one that is only named is searched for.
    fn from_toml(value: &DeValue<'_>, directory: &Path) -> Option<Self> {
        let words = value.as_array()?.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
        let mut words = words.collect::<Option<Vec<_>>>()?;
        if let Some(program) = words.first_mut().filter(|program| program.contains('/')) {
            *program = directory.join(&*program).to_str()?.to_owned();
        }
        Self::new(words)
    }

    /// A list as in the file.
    fn from_text(text: &str) -> Option<Self> {
        Self::new(serde_json::from_str(text).ok()?)
    }

    fn shown(&self) -> String {
        format!("[{}]", self.0.iter().map(Setting::shown).collect::<Vec<_>>().join(", "))
    }
}

/// A number of megabytes (of 1,048,576 bytes), 1 to 4,096.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Megabytes(pub u32);

impl Megabytes {
    /// As bytes.
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX).saturating_mul(1024 * 1024)
    }
}

impl Setting for Megabytes {
    const KIND: &'static str = "a whole number of megabytes from 1 to 4096";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        let DeValue::Integer(number) = value else { return None };
        Self::from_text(&number.to_string())
    }

    fn from_text(text: &str) -> Option<Self> {
        text.parse().ok().filter(|number| (1..=4_096).contains(number)).map(Self)
    }

    fn shown(&self) -> String {
        self.0.to_string()
    }
}

/// Shown without user name and password, which are never repeated.
impl Setting for ProxyChoice {
    const KIND: &'static str =
        "\"none\", \"environment\", or the URL of a proxy such as \"http://proxy.example:3128\"";

    fn from_toml(value: &DeValue<'_>, _: &Path) -> Option<Self> {
        Self::from_text(value.as_str()?)
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    fn shown(&self) -> String {
        format!("\"{self}\"")
    }
}

/// A setting that may be missing.
impl<T: Setting> Setting for Option<T> {
    const KIND: &'static str = T::KIND;

    fn from_toml(value: &DeValue<'_>, directory: &Path) -> Option<Self> {
        T::from_toml(value, directory).map(Some)
    }

    fn from_text(text: &str) -> Option<Self> {
        T::from_text(text).map(Some)
    }

    fn shown(&self) -> String {
        self.as_ref().map(Setting::shown).unwrap_or_default()
    }
}
