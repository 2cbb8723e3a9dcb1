//! The passport: a bounded reference projection that the user gives along with an object (R19).
//!
//! The profile names one member, `requiresConfirmation`, and says that every action recipe has it. Where
//! the recipes stand is our reading ([`RECIPES`]); the check also looks at the other likely spellings, so
//! that a recipe without a confirmation does not slip through under another name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::finding::Finding;
use super::{bounds, card, json, rules, shape};

/// The member that holds the action recipes: a reading of ours (R19). The field [`Passport::actions`]
/// carries the same name.
pub const RECIPES: &str = "actions";
/// Other spellings under which recipes are checked just as strictly.
const OTHER_RECIPES: [&str; 2] = ["actionRecipes", "recipes"];
/// The member that every recipe has, with the value `true` (§ Security, photos, and exact object lookup).
pub const CONFIRMATION: &str = "requiresConfirmation";
/// Where a passport stands in a `user.observation`.
const PLACE: &str = "/observation/object/passport";

/// A bounded reference projection, kept as given; its action recipes all need a confirmation (R19).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Passport {
    /// Always `"0.1"`.
    #[schemars(extend("const" = "0.1"))]
    pub schema_version: String,
    /// What may be done with the object; nothing is done without a separate confirmation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionRecipe>,
    /// Everything else, as given.
    #[serde(flatten)]
    #[schemars(skip)]
    pub rest: Map<String, Value>,
}

/// One action that a passport describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionRecipe {
    /// Always true.
    #[schemars(extend("const" = true))]
    pub requires_confirmation: bool,
    /// Everything else, as given.
    #[serde(flatten)]
    #[schemars(skip)]
    pub rest: Map<String, Value>,
}

impl Passport {
    /// Reads the file that a user named with `passport:FILE`.
    ///
    /// # Errors
    /// [`rules::OBS_PASSPORT`] when it is over 16 KiB, is not one JSON object, has another `schemaVersion`,
    /// or holds a recipe without `requiresConfirmation: true`. Pointers are relative to the passport.
    pub fn parse(bytes: &[u8]) -> Result<Self, Finding> {
        let refused = |pointer: String, detail: String| Finding::at(&rules::OBS_PASSPORT, pointer, detail);
        if bytes.len() > bounds::PASSPORT_BYTES {
            return Err(refused(String::new(), too_large(bytes.len())));
        }
        let parsed = json::parse_bytes(bytes).map_err(|error| refused(String::new(), error.detail))?;
        if let Some((pointer, detail)) = first_problem(&parsed.value) {
            return Err(refused(pointer, detail));
        }
        shape::read(parsed.value).map_err(|mismatch| refused(mismatch.pointer, mismatch.detail))
    }

    /// Checks a passport that stands in an observation (R19).
    ///
    /// # Errors
    /// [`rules::OBS_PASSPORT`], with the place in the `user.observation` message.
    pub fn check(&self) -> Result<(), Finding> {
        let value = serde_json::to_value(self).expect("a passport has only string keys");
        let bytes = value.to_string().len();
        let problem = if bytes > bounds::PASSPORT_BYTES {
            Some((String::new(), too_large(bytes)))
        } else {
            first_problem(&value)
        };
        match problem {
            Some((pointer, detail)) => {
                Err(Finding::at(&rules::OBS_PASSPORT, format!("{PLACE}{pointer}"), detail))
            }
            None => Ok(()),
        }
    }
}

fn too_large(bytes: usize) -> String {
    format!("the passport has {bytes} bytes, at most {} are allowed", bounds::PASSPORT_BYTES)
}

fn first_problem(value: &Value) -> Option<(String, String)> {
    let Value::Object(map) = value else {
        return Some((String::new(), format!("expected an object, came {}", shape::kind_of(value))));
    };
    match map.get("schemaVersion") {
        Some(Value::String(version)) if version == card::SCHEMA_VERSION => {
            unconfirmed(value, &mut String::new())
        }
        Some(Value::String(_)) => {
            Some(("/schemaVersion".to_owned(), "expected \"0.1\", came another version".to_owned()))
        }
        Some(other) => {
            Some(("/schemaVersion".to_owned(), format!("expected \"0.1\", came {}", shape::kind_of(other))))
        }
        None => Some(("/schemaVersion".to_owned(), "missing member, expected \"0.1\"".to_owned())),
    }
}

/// The first recipe without a confirmation, at any depth; the depth is bounded by the parser.
fn unconfirmed(value: &Value, pointer: &mut String) -> Option<(String, String)> {
    let length = pointer.len();
    let mut below = |token: &str, child: &Value| {
        pointer.push('/');
        pointer.push_str(&json::pointer_token(token));
        let problem = if is_recipes(token) { recipes(child, pointer) } else { None };
        let problem = problem.or_else(|| flag(token, child, pointer)).or_else(|| unconfirmed(child, pointer));
        pointer.truncate(length);
        problem
    };
    match value {
        Value::Object(map) => map.iter().find_map(|(name, child)| below(name, child)),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, child)| below(&index.to_string(), child))
        }
        _ => None,
    }
}

fn is_recipes(name: &str) -> bool {
    name == RECIPES || OTHER_RECIPES.contains(&name)
}

fn flag(name: &str, value: &Value, pointer: &str) -> Option<(String, String)> {
    (name == CONFIRMATION && *value != Value::Bool(true))
        .then(|| (pointer.to_owned(), "expected true".to_owned()))
}

fn recipes(value: &Value, pointer: &str) -> Option<(String, String)> {
    let Value::Array(items) = value else {
        return Some((pointer.to_owned(), format!("expected an array, came {}", shape::kind_of(value))));
    };
    items.iter().enumerate().find_map(|(index, recipe)| {
        let confirmed = recipe.get(CONFIRMATION) == Some(&Value::Bool(true));
        (!confirmed).then(|| {
            (
                format!("{pointer}/{index}/{CONFIRMATION}"),
                "expected true: every action needs a confirmation".to_owned(),
            )
        })
    })
}
