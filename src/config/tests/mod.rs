//! Settings: the annotated default, the order of the sources, and what wrong ones say.

mod file;
mod order;

use std::path::Path;

use super::{ConfigError, Environment, Layer, Settings, resolve};

/// Resolves with this file text, these variables and these flags.
fn settled(text: &str, variables: &[(&str, &str)], flags: Layer) -> Result<Settings, ConfigError> {
    let home = tempfile::tempdir().expect("a directory");
    let directory = home.path().join("agentcall");
    std::fs::create_dir(&directory).expect("a directory");
    std::fs::write(directory.join("config.toml"), text).expect("a file");
    resolve(None, &environment(home.path(), variables), flags)
}

fn environment(home: &Path, variables: &[(&str, &str)]) -> Environment {
    Environment {
        variables: variables.iter().map(|(name, value)| ((*name).to_owned(), value.into())).collect(),
        config_home: Some(home.to_owned()),
        state_home: Some(home.join("state")),
    }
}

fn defaults() -> Settings {
    resolve(None, &Environment::default(), Layer::default()).expect("the defaults go together")
}
