//! What settings are taken from outside the file and the flags, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use etcetera::BaseStrategy;

use super::error::ConfigError;

/// The environment as far as settings are concerned. Tests make their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The variables that begin with `AGENTCALL_`.
    pub variables: BTreeMap<String, OsString>,
    /// `$XDG_CONFIG_HOME`, or what stands in for it.
    pub config_home: Option<PathBuf>,
    /// `$XDG_STATE_HOME`, or what stands in for it.
    pub state_home: Option<PathBuf>,
}

impl Environment {
    /// That of this process.
    pub fn of_process() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let base = etcetera::choose_base_strategy().ok();
        Self {
            variables: variables.filter(|(name, _)| name.starts_with("AGENTCALL_")).collect(),
            config_home: base.as_ref().map(BaseStrategy::config_dir),
            state_home: base.as_ref().and_then(BaseStrategy::state_dir),
        }
    }

    /// A variable that is set and not empty.
    pub(super) fn get(&self, name: &'static str) -> Result<Option<String>, ConfigError> {
        let value = self.variables.get(name).filter(|value| !value.is_empty());
        value
            .map(|value| {
                let text = value.to_str().map(str::to_owned);
                text.ok_or_else(|| ConfigError::Variable { name, message: "is not valid UTF-8".to_owned() })
            })
            .transpose()
    }
}
