//! The language of scenarios as a table: the one source of `agentcall run --help` and of `docs/scenarios.md`.
//!
//! The parser is not made from it; a test reads every example of the table with the parser.

use super::log::{KEPT, KEPT_TEXT};
use super::script::EXPECT_WITHIN;
use crate::units::Bytes;

/// One form that may stand in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What is written: capitals stand for a value of the user's.
    pub form: &'static str,
    /// What it does, as one or more sentences.
    pub meaning: &'static str,
    /// A line that uses it.
    pub example: &'static str,
}

const fn form(form: &'static str, meaning: &'static str, example: &'static str) -> Form {
    Form { form, meaning, example }
}

/// The steps, in the order of [`VERBS`](super::VERBS).
pub const STEPS: &[Form] = &[
    form(
        "say TEXT",
        "Sends a turn of text, after the active run has ended.",
        "say teach object Workshop router",
    ),
    form(
        "talk file:PATH",
        "Speaks a sound file, WAV or Opus, as one turn, after the active run has ended. Needs an agent with sound.",
        "talk file:question.wav",
    ),
    form(
        "talk [file:PATH] cancel",
        "Opens a spoken turn, speaks for half a second, and drops it.",
        "talk cancel",
    ),
    form("hear [within TIME]", "Waits until something of the agent's answer was played.", "hear within 2s"),
    form(
        "scan TAG [OPTION…]",
        "Reads a tag and sends the observation.",
        "scan tag:router.ndef intent=identify",
    ),
    form("capture PICTURE [OPTION…]", "Takes a photo and sends the observation.", "capture file:desk.png"),
    form(
        "observe TAG PICTURE [OPTION…]",
        "Sends both in one observation.",
        "observe tag:router.ndef file:desk.png intent=inspect",
    ),
    form(
        "expect text \"TEXT\"",
        "Waits for this in the text of one run, across its pieces.",
        "expect text \"do not know\"",
    ),
    form(
        "expect event TYPE",
        "Waits for an event of this type. Quotation marks for a type that the profile does not name.",
        "expect event run.completed within 5s",
    ),
    form(
        "expect failure [CODE]",
        "Waits for a failure, of this code if one is given.",
        "expect failure cancelled",
    ),
    form(
        "expect finding RULE",
        "Waits for a finding of this rule; it no longer counts against the agent.",
        "expect finding ENV-2",
    ),
    form(
        "expect no …",
        "Any of the four: fails when it comes before the active run has ended, or within the given time.",
        "expect no failure within 2s",
    ),
    form("cancel", "Cancels the active run.", "cancel"),
    form("wait TIME", "Lets time pass.", "wait 500ms"),
    form("end", "Ends the session; only expectations and waits may follow.", "end"),
];

/// What `scan`, `capture` and `observe` take.
pub const PARTS: &[Form] = &[
    form("tag:PATH", "TAG: a tag file for the simulated reader.", "scan tag:router.ndef"),
    form(
        "tag:uid=HEX",
        "TAG: an empty tag with this hardware ID, which stays on this machine.",
        "scan tag:uid=04A1B2C3D4E5F6",
    ),
    form(
        "reader:\"NAME\"",
        "TAG: whatever is on this reader; one reader in a scenario.",
        "scan reader:\"Desk reader\"",
    ),
    form("file:PATH", "PICTURE: a JPEG, PNG or WebP file.", "capture file:\"my desk.png\""),
    form(
        "camera:\"NAME\"",
        "PICTURE: what this camera sees; one camera in a scenario.",
        "capture camera:front",
    ),
    form(
        "intent=NAME",
        "OPTION: identify (if nothing is said), remember, inspect or act.",
        "scan tag:router.ndef intent=remember",
    ),
    form(
        "passport:FILE",
        "OPTION, with a TAG: sends this passport along.",
        "scan tag:router.ndef passport:router.json",
    ),
    form(
        "insist",
        "OPTION, with a TAG: sends an alias of a tag whose ID is random too; it names this one tap alone.",
        "scan tag:uid=080E6459 insist",
    ),
    form(
        "unrelated",
        "OPTION: does not answer the agent's pending request.",
        "capture file:desk.png unrelated",
    ),
];

/// How lines are written.
pub const WRITING: &[(&str, &str)] = &[
    ("lines", "One step a line; empty lines are skipped. All files are read before anything is sent."),
    (
        "comments",
        "From a # that begins the line, or stands as a word of its own: `say ticket #5 # like this`.",
    ),
    (
        "quoting",
        "A value with spaces stands in \"…\", with \\\" \\\\ \\n \\t \\u{HEX}. The text of say needs no quotation marks.",
    ),
    ("paths", "A relative path starts from the directory of the scenario file, not from where you are."),
    ("within TIME", "At the end of an expect: 500ms, 5s, 1.5s or 2m. Without it, an expect waits 10 s."),
];

/// Columns of the help, which is narrower than any usual terminal, so that nothing else breaks its lines.
const HELP_WIDTH: usize = 79;

/// The section of `agentcall run --help`.
pub fn help() -> String {
    let rows: Vec<(&str, &str)> =
        STEPS.iter().chain(PARTS).map(|f| (f.form, f.meaning)).chain(WRITING.iter().copied()).collect();
    let width = rows.iter().map(|(form, _)| form.chars().count()).max().unwrap_or(0);
    let indent = " ".repeat(width + 4);
    let lines = rows.iter().map(|(form, meaning)| {
        let options = textwrap::Options::new(HELP_WIDTH).subsequent_indent(&indent);
        format!("\n{}", textwrap::fill(&format!("  {form:width$}  {meaning}"), options))
    });
    format!("Scenarios, one step a line:{}", lines.collect::<String>())
}

/// The page `docs/scenarios.md`.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Scenarios\n\nA scenario is a text file that `agentcall run URL SCENARIO…` plays, each file in a session of its own.\nGenerated from the table that `agentcall run --help` prints; `make generate` writes it.\n",
    );
    for (title, forms) in [("Steps", STEPS), ("What is scanned and shown", PARTS)] {
        page.push_str(&format!("\n## {title}\n\n| form | what it does | example |\n|---|---|---|\n"));
        for Form { form, meaning, example } in forms {
            page.push_str(&format!("| `{form}` | {meaning} | `{example}` |\n"));
        }
    }
    page.push_str("\n## Writing\n\n| | |\n|---|---|\n");
    WRITING.iter().for_each(|(what, rule)| page.push_str(&format!("| {what} | {} |\n", code(rule))));
    page.push_str(&format!(
        "\nAn `expect` without `within` waits {} s. What it looks at is what has come since the last step that sent\nsomething; each expectation goes on where the one before it found what it was looking for.\n\nOf what has come since then the last {} things (events, pieces of text, findings) and {} MiB of text are kept; beyond\neither the older half is let go, and an `expect` that fails tells how many those were. What is let go can no longer be\nexpected; an `expect` that already waits sees everything as it comes, and the findings are still counted.\n\nA whole session is in [teach.agentcall](../assets/scenarios/teach.agentcall).\n",
        EXPECT_WITHIN.as_secs(),
        Bytes(KEPT),
        KEPT_TEXT / (1024 * 1024)
    ));
    page
}

/// Marks the escapes of the rule on quoting, which Markdown would eat.
fn code(rule: &str) -> String {
    rule.replace("\"…\"", "`\"…\"`")
        .replace("\\\" \\\\ \\n \\t \\u{HEX}", "`\\\"` `\\\\` `\\n` `\\t` `\\u{HEX}`")
}
