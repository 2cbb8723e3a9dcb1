//! The one table of keys, and what is made of it: [`Layer`], [`Settings`], [`KEYS`].

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use toml::de::DeValue;

use super::environment::Environment;
use super::error::ConfigError;
use super::value::{CommandLine, EnvName, Megabytes, Names, Setting, Time};
use crate::net::ProxyChoice;
use crate::protocol::{Dialect, Modalities};

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything else.
    #[default]
    Default,
    /// The configuration file.
    File(PathBuf),
    /// An environment variable.
    Variable(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it comes from. It can be used as the value itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Deref for Set<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// What the reference page says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name in the file.
    pub name: &'static str,
    /// Its environment variable.
    pub variable: &'static str,
    /// Its flag, if it has one.
    pub flag: Option<&'static str>,
    /// What it is for.
    pub help: &'static str,
    /// What is expected.
    pub kind: &'static str,
}

macro_rules! settings {
    ($($(#[doc = $help:literal])+ $name:ident: $type:ty = $default:expr, $variable:literal, $flag:expr;)*) => {
        /// What one source says; `None` where it says nothing. The command line fills one from its flags.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Layer {
            $($(#[doc = $help])+ pub $name: Option<$type>,)*
            /// Open names of the wire; only a file gives them.
            pub dialect: Option<Dialect>,
            /// Keys of commands, command id to key; only a file gives them.
            pub keys: Option<BTreeMap<String, String>>,
        }

        /// Every setting, resolved, with its origin.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Settings {
            $($(#[doc = $help])+ pub $name: Set<$type>,)*
            /// Open names of the wire (readings marked †).
            pub dialect: Set<Dialect>,
            /// Keys of commands, command id to key; the registry checks them.
            pub keys: Set<BTreeMap<String, String>>,
        }

        /// Every key outside `[dialect]` and `[keys]`, in the order of the page.
        pub static KEYS: &[Key] = &[$(Key {
            name: stringify!($name),
            variable: $variable,
            flag: $flag,
            help: concat!($($help),+).trim_ascii(),
            kind: <$type as Setting>::KIND,
        }),*];

        impl Layer {
            /// Takes one key of a file. `None`: there is no such key. `Some(None)`: not what is expected.
            pub(super) fn take(&mut self, name: &str, value: &DeValue<'_>, directory: &Path) -> Option<Option<()>> {
                Some(match name {
                    $(stringify!($name) => <$type>::from_toml(value, directory).map(|it| self.$name = Some(it)),)*
                    _ => return None,
                })
            }

            /// What the environment says.
            pub(super) fn of_environment(environment: &Environment) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($name: match environment.get($variable)? {
                        Some(text) => Some(<$type>::from_text(&text).ok_or_else(|| ConfigError::Variable {
                            name: $variable,
                            message: format!("is not what it should be: expected {}", <$type>::KIND),
                        })?),
                        None => None,
                    },)*
                    dialect: None,
                    keys: None,
                })
            }
        }

        impl Settings {
            /// Lays the layers over the defaults. They are already checked one by one.
            pub(super) fn over_defaults(file: Layer, path: Option<&Path>, environment: Layer, flags: Layer) -> Self {
                let of_file = || path.map_or(Origin::Default, |path| Origin::File(path.to_owned()));
                Self {
                    $($name: if let Some(value) = flags.$name {
                        Set { value, origin: Origin::Flag($flag.unwrap_or_default()) }
                    } else if let Some(value) = environment.$name {
                        Set { value, origin: Origin::Variable($variable) }
                    } else if let Some(value) = file.$name {
                        Set { value, origin: of_file() }
                    } else {
                        Set { value: $default, origin: Origin::Default }
                    },)*
                    dialect: file.dialect.map_or_else(Set::default, |value| Set { value, origin: of_file() }),
                    keys: file.keys.map_or_else(Set::default, |value| Set { value, origin: of_file() }),
                }
            }

            /// Every setting of [`KEYS`]: key, value as it would stand in the file, origin.
            pub fn explain(&self) -> Vec<(&'static str, String, &Origin)> {
                vec![$((stringify!($name), self.$name.value.shown(), &self.$name.origin)),*]
            }
        }
    };
}

settings! {
    /// Allow plain HTTP, and addresses of this machine and network, for development.
    local: bool = false, "AGENTCALL_LOCAL", Some("--local");
    /// Files of certificates (PEM) that are trusted beside the system's.
    ca: Vec<PathBuf> = Vec::new(), "AGENTCALL_CA", Some("--ca");
    /// The HTTP proxy for addresses that are neither of this machine nor of this network: `none`, its URL, or `environment` for what HTTPS_PROXY, ALL_PROXY and NO_PROXY say.
    proxy: ProxyChoice = ProxyChoice::None, "AGENTCALL_PROXY", Some("--proxy");
    /// The environment variable that holds the bearer token.
    token_env: Option<EnvName> = None, "AGENTCALL_TOKEN_ENV", Some("--token-env");
    /// The file that holds the bearer token.
    token_file: Option<PathBuf> = None, "AGENTCALL_TOKEN_FILE", Some("--token-file");
    /// The origin that the token may go to, when it is not the card's.
    token_origin: Option<String> = None, "AGENTCALL_TOKEN_ORIGIN", Some("--token-origin");
    /// What this client offers to show.
    modalities: Modalities = Modalities::BOTH, "AGENTCALL_MODALITIES", Some("--modalities");
    /// The readers: `auto` for every contactless one that is there or is plugged in, `simulated`, or one or more names or parts of names. Without it, `auto` in connect and `simulated` in run and demo.
    reader: Option<Names> = None, "AGENTCALL_READER", Some("--reader");
    /// The camera: `auto` for the first one with which nothing is wrong, `simulated`, or its name or a part of it. Without it, `auto` in connect and `simulated` in run and demo.
    camera: Option<String> = None, "AGENTCALL_CAMERA", Some("--camera");
    /// The microphone: `auto` or `default` for the one that the system prefers, `simulated` for a tone, `silence`, `tone:HZ`, `file:PATH` for a WAV or Opus file, or its name or a part of it. Without it, `auto` in connect and `simulated` in run and demo.
    microphone: Option<String> = None, "AGENTCALL_MICROPHONE", Some("--microphone");
    /// The speaker: `auto` or `default` for the one that the system prefers, `simulated` for none that is heard, `file:PATH` for a WAV file that is written, or its name or a part of it. Without it, `auto` in connect and `simulated` in run and demo.
    speaker: Option<String> = None, "AGENTCALL_SPEAKER", Some("--speaker");
    /// Speak what the agent says with speech_command, where its card leaves the voice to the client.
    speak: bool = false, "AGENTCALL_SPEAK", Some("--speak");
    /// The command that speaks, the program first; it gets the text on its standard input, and no shell comes between.
    speech_command: Option<CommandLine> = None, "AGENTCALL_SPEECH_COMMAND", None;
    /// Acknowledge what the agent says, at most once in 50 ms.
    acks: bool = true, "AGENTCALL_ACKS", Some("--no-acks");
    /// Ask the terminal whether it is in front; where it is not, reader and camera are disarmed.
    focus: bool = true, "AGENTCALL_FOCUS", None;
    /// How long connecting to an address and its TLS handshake may take, and then session.established.
    connect_within: Time = Time::seconds(10), "AGENTCALL_CONNECT_WITHIN", None;
    /// How often a ping is sent.
    ping_every: Time = Time::seconds(20), "AGENTCALL_PING_EVERY", None;
    /// How long nothing may come until the connection counts as dead; more than ping_every.
    dead_after: Time = Time::seconds(60), "AGENTCALL_DEAD_AFTER", None;
    /// How long a scan stays armed.
    scan_within: Time = Time::seconds(30), "AGENTCALL_SCAN_WITHIN", None;
    /// How long a capture stays armed.
    capture_within: Time = Time::seconds(30), "AGENTCALL_CAPTURE_WITHIN", None;
    /// Memory for the events that the screen keeps; beyond it the oldest go, and their number is shown.
    trace_megabytes: Megabytes = Megabytes(64), "AGENTCALL_TRACE_MEGABYTES", None;
    /// A directory whose tag files the picker shows beside the built-in ones.
    tags: Option<PathBuf> = None, "AGENTCALL_TAGS", None;
    /// Where the key of the local aliases is kept; the user's state directory without it.
    state_dir: Option<PathBuf> = None, "AGENTCALL_STATE_DIR", None;
}
