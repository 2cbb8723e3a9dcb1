//! Lays the layers over each other, once.

use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::error::ConfigError;
use super::file;
use super::table::{Layer, Settings};

/// Resolves the settings: defaults < file < environment < flags. `config` is what `--config` names;
/// without it `$AGENTCALL_CONFIG`, then `agentcall/config.toml` in the user's configuration directory,
/// which may be missing.
///
/// # Errors
/// A file that was named and is not there, or is not as it should be; a variable that is not as it should
/// be; settings that do not go together.
pub fn resolve(
    config: Option<&Path>,
    environment: &Environment,
    flags: Layer,
) -> Result<Settings, ConfigError> {
    let variable = environment.get("AGENTCALL_CONFIG")?.map(PathBuf::from);
    let named = config.map(Path::to_owned).or(variable);
    let usual = environment.config_home.as_ref().map(|home| home.join("agentcall/config.toml"));
    let path = named.clone().or(usual);
    let mut from_file = match &path {
        Some(path) => file::load(path, named.is_some())?.unwrap_or_default(),
        None => Layer::default(),
    };
    let mut from_environment = Layer::of_environment(environment)?;
    one_token("the configuration file", &from_file)?;
    one_token("the environment", &from_environment)?;
    one_token("the command line", &flags)?;
    // A token that a higher layer names puts the lower one's out of use, whichever way each names it.
    if names_token(&flags) {
        forget_token(&mut from_environment);
    }
    if names_token(&flags) || names_token(&from_environment) {
        forget_token(&mut from_file);
    }
    let settings = Settings::over_defaults(from_file, path.as_deref(), from_environment, flags);
    checked(settings)
}

fn names_token(layer: &Layer) -> bool {
    layer.token_env.is_some() || layer.token_file.is_some()
}

fn forget_token(layer: &mut Layer) {
    layer.token_env = None;
    layer.token_file = None;
}

fn one_token(source: &str, layer: &Layer) -> Result<(), ConfigError> {
    if layer.token_env.is_some() && layer.token_file.is_some() {
        let message = format!("Both token_env and token_file are set by {source}; one of them must go");
        return Err(ConfigError::Together(message));
    }
    Ok(())
}

fn checked(settings: Settings) -> Result<Settings, ConfigError> {
    let (ping, dead) = (&settings.ping_every, &settings.dead_after);
    if dead.value <= ping.value {
        return Err(ConfigError::Together(format!(
            "dead_after is {} (from {}) and must be more than ping_every, which is {} (from {})",
            dead.value, dead.origin, ping.value, ping.origin
        )));
    }
    if *settings.speak && settings.speech_command.is_none() {
        return Err(ConfigError::Together(format!(
            "speak is true (from {}) and speech_command is not set; name the command that speaks, such as \
             speech_command = [\"espeak-ng\", \"--stdin\"]",
            settings.speak.origin
        )));
    }
    Ok(settings)
}

impl Settings {
    /// The directory of the device key (R10).
    ///
    /// # Errors
    /// [`ConfigError::NoHome`] when neither the setting nor a home directory names one.
    pub fn state_directory(&self, environment: &Environment) -> Result<PathBuf, ConfigError> {
        let usual = || environment.state_home.as_ref().map(|home| home.join("agentcall"));
        self.state_dir.value.clone().or_else(usual).ok_or(ConfigError::NoHome)
    }
}
