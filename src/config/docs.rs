//! The reference page, made from the table.

use std::fmt::Write as _;

use super::environment::Environment;
use super::file;
use super::table::{KEYS, Layer};

/// What each name of `[dialect]` is, with its reading.
pub(super) const DIALECT: &[(&str, &str)] = &[
    (
        "explicit_turns_at",
        "where `supportsExplicitTurns` is looked for in the card, the first place being the right one (R3)",
    ),
    ("audio_turn_control", "the member of `clientCapabilities` for explicit audio turns (R4)"),
    ("audio_turn_start", "`type` of the message that opens an audio turn (R5)"),
    ("audio_turn_commit", "`type` of the message that commits an audio turn (R5)"),
    ("audio_turn_cancel", "`type` of the message that cancels an audio turn (R5)"),
    ("image_media_type", "the member of `image` for the media type (R6)"),
    ("image_data", "the member of `image` for the base64 (R6)"),
    (
        "interaction_id",
        "where `interactionId` stands: beside `turn` in the `\"message\"`, or in the `\"observation\"` (R7)",
    ),
    ("carrier_ndef", "the carrier of a portable NDEF reference (R8)"),
    ("context", "the member of `user.turn` for Context entries (R22)"),
];

/// `docs/configuration.md`: every key with its default, variable, flag and meaning.
pub fn markdown() -> String {
    let defaults = super::resolve(None, &Environment::default(), Layer::default());
    let values = defaults
        .map(|settings| settings.explain().into_iter().map(|(_, value, _)| value).collect::<Vec<_>>());
    let values = values.unwrap_or_default();
    let mut out = String::from(HEAD);
    out.push_str("| key | default | environment | flag | what it is |\n|---|---|---|---|---|\n");
    for (index, key) in KEYS.iter().enumerate() {
        let value = values.get(index).filter(|value| !value.is_empty());
        let default = value.map_or_else(|| "none".to_owned(), |value| format!("`{value}`"));
        let flag = key.flag.map_or_else(String::new, |flag| format!("`{flag}`"));
        let _infallible =
            writeln!(out, "| `{}` | {default} | `{}` | {flag} | {} |", key.name, key.variable, key.help);
    }
    out.push_str(MIDDLE);
    out.push_str("| name | default | what it is |\n|---|---|---|\n");
    let names = file::defaults();
    for (name, help) in DIALECT {
        let default = names.get(*name).map(ToString::to_string).unwrap_or_default();
        let _infallible = writeln!(out, "| `{name}` | `{default}` | {help} |");
    }
    out
}

const HEAD: &str = "\
# Configuration

This page is made from the code (`make generate`). `config.toml` at the top of the repository is the
annotated default.

A flag counts before the environment, the environment before the file, the file before the default. The file is
the one that `--config` or `$AGENTCALL_CONFIG` names, or else `agentcall/config.toml` in `$XDG_CONFIG_HOME`
(`~/.config`). Relative paths in it start from its own directory. A token never stands in it: `token_env` names
a variable that holds one, `token_file` a file. Times are written `500ms`, `20s` or `2m`. In a variable, a list of
paths is separated as in `PATH`, and `AGENTCALL_MODALITIES` is `nfc,photo`, `nfc`, `photo` or `none`.

";

const MIDDLE: &str = "
## `[keys]`

`COMMAND = \"KEY\"` puts a command on another key, for example `scan = \"z\"`. The keys page lists the commands.

## `[dialect]`

Names of the wire that the profile's text leaves open. An agent written against other schemas may use others.

";
