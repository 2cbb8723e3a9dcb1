//! The page of keys, generated from the registry.

use super::registry::{ALL, Command, Context};

/// The table of keys as Markdown, for README and docs.
pub fn keys_markdown() -> String {
    let mut page = String::from(
        "# Keys\n\nGenerated from the command registry; `make generate` writes it. Keys can be changed in `[keys]` of the\nconfiguration: `scan = \"F\"`.\n",
    );
    for context in Context::ALL {
        page.push_str(&format!(
            "\n## {}\n\n| key | command | what it does |\n|---|---|---|\n",
            capital(context.title())
        ));
        for command in ALL.iter().filter(|command| command.contexts.contains(&context)) {
            page.push_str(&format!("| {} | `{}` | {} |\n", keys(command), command.id, command.help));
        }
    }
    page
}

fn keys(command: &Command) -> String {
    let keys: Vec<String> =
        command.keys.iter().map(|key| format!("`{}`", key.to_string().replace('|', "\\|"))).collect();
    keys.join(" ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
