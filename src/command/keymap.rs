//! Which key does what, where: the defaults of the registry, with the user's own keys laid over.

use std::collections::HashMap;

use super::key::{Key, NotAKey};
use super::registry::{ALL, Command, Context, by_id};

/// The keys in force.
#[derive(Clone, Debug)]
pub struct Keymap {
    keys: HashMap<&'static str, Vec<Key>>,
}

/// What is wrong with `[keys]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// No command has this id.
    #[error("[keys] names the command {0:?}, which does not exist; the palette and the README list them all")]
    UnknownCommand(String),
    /// A name that is no key.
    #[error("[keys] {command}: {error}")]
    NotAKey {
        /// The command.
        command: String,
        /// What was expected and what came.
        error: NotAKey,
    },
    /// A character for a command that is needed where characters are text.
    #[error(
        "[keys] {command}: {key} is a character, and this command is needed while typing, where characters are text; choose a key such as Enter or Ctrl+S"
    )]
    WouldBeTyped {
        /// The command.
        command: &'static str,
        /// The key.
        key: Key,
    },
    /// Ctrl+C always quits, whatever else is open.
    #[error("[keys] {0}: Ctrl+C always quits and cannot mean anything else; choose another key")]
    Reserved(&'static str),
    /// Two commands want one key in one context.
    #[error("[keys] gives {key} to both {first} and {second} ({}); choose another key for one of them", context.title())]
    Conflict {
        /// The key.
        key: Key,
        /// The one.
        first: &'static str,
        /// The other.
        second: &'static str,
        /// Where.
        context: Context,
    },
}

impl Default for Keymap {
    fn default() -> Self {
        Self { keys: ALL.iter().map(|command| (command.id, command.keys.to_vec())).collect() }
    }
}

impl Keymap {
    /// The defaults with these `(command id, key)` pairs laid over; a command named more than once has several keys.
    ///
    /// # Errors
    /// [`KeymapError`], the first one.
    pub fn with<'a>(overrides: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, KeymapError> {
        let mut map = Self::default();
        let mut named = Vec::new();
        for (id, key) in overrides {
            let command = by_id(id).ok_or_else(|| KeymapError::UnknownCommand(id.to_owned()))?;
            let key = key.parse().map_err(|error| KeymapError::NotAKey { command: id.to_owned(), error })?;
            let keys = map.keys.entry(command.id).or_default();
            if !named.contains(&command.id) {
                named.push(command.id);
                keys.clear();
            }
            keys.push(key);
        }
        map.check()
    }

    fn check(self) -> Result<Self, KeymapError> {
        for command in ALL {
            let typing = command.contexts.contains(&Context::Typing);
            for key in self.keys(command) {
                match key {
                    Key::Ctrl('c') => return Err(KeymapError::Reserved(command.id)),
                    Key::Char(_) if typing => {
                        return Err(KeymapError::WouldBeTyped { command: command.id, key: *key });
                    }
                    _ => {}
                }
            }
        }
        for context in Context::ALL {
            let mut taken: HashMap<Key, &'static str> = HashMap::new();
            for command in ALL.iter().filter(|command| command.contexts.contains(&context)) {
                for key in self.keys(command) {
                    if let Some(first) = taken.insert(*key, command.id) {
                        return Err(KeymapError::Conflict { key: *key, first, second: command.id, context });
                    }
                }
            }
        }
        Ok(self)
    }

    /// The command behind `key` in `context`.
    pub fn find(&self, context: Context, key: Key) -> Option<&'static Command> {
        ALL.iter().find(|command| command.contexts.contains(&context) && self.keys(command).contains(&key))
    }

    /// The keys of a command; the first is the one to show.
    pub fn keys(&self, command: &Command) -> &[Key] {
        self.keys.get(command.id).map_or(&[], Vec::as_slice)
    }

    /// The key to show for a command, such as `s`; nothing if it has none.
    pub fn shown(&self, id: &str) -> String {
        by_id(id).and_then(|command| self.keys(command).first()).map(Key::to_string).unwrap_or_default()
    }
}
