//! What the agent understands, and what it says. It is a small set of exact sentences, no language model:
//! text from a tag, a photo or a Context entry is never read as a command, because it never gets here.

use super::teaching::NotTaught;
use crate::protocol::{Modalities, Modality};
use crate::units::Bytes;

use super::hearing::Heard;

/// What a text turn asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    Greeting,
    Story,
    Ask(Modality),
    WhatIsThis,
    Teach(String),
    Confirm,
    CancelTeaching,
    /// "Yes", which confirms nothing (§ Security, photos, and exact object lookup).
    Assent,
    Other(String),
}

impl Command {
    /// Reads the text of a turn: white space, case and closing punctuation do not matter, wording does.
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(label) = after(text, "teach object") {
            return Self::Teach(label.trim().to_owned());
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let plain = words.join(" ").to_lowercase();
        match plain.trim_end_matches(['.', '!', '?', ' ']) {
            "help" => Self::Help,
            "hello" | "hi" | "hey" | "good morning" | "good evening" => Self::Greeting,
            "tell a story" | "tell me a story" => Self::Story,
            "scan an object" => Self::Ask(Modality::Nfc),
            "take a photo" => Self::Ask(Modality::Photo),
            "what is this" | "what's this" => Self::WhatIsThis,
            "confirm object" => Self::Confirm,
            "cancel teaching" => Self::CancelTeaching,
            "yes" | "ok" | "okay" | "sure" | "yes please" | "confirm" | "do it" | "go ahead" => Self::Assent,
            _ => Self::Other(text.to_owned()),
        }
    }
}

/// What comes after `words`, in any case, at a word boundary.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let head = text.get(..words.len())?;
    let rest = &text[words.len()..];
    let bounded = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (head.eq_ignore_ascii_case(words) && bounded).then_some(rest)
}

pub(super) const UNKNOWN_OBJECT: &str =
    "I do not know this object yet. Say \"teach object …\" and I will propose what to remember.";

pub(super) const ASSENT: &str = "A plain yes stores nothing. Say \"confirm object\" to store the proposal, or \
     \"cancel teaching\" to drop it.";

/// Below this a recording is silence.
const SILENCE_DB: f32 = -60.0;

pub(super) const NOTHING_PROPOSED: &str = "There is nothing to agree to. Say \"help\" to hear what I can do.";

pub(super) const STORY: &str = "Once there was a workshop at the end of a long lane. Every tool in it had a place, \
     and every place had a small round tag. Nobody could read the tags, so nobody knew what belonged where. \
     One winter evening an apprentice came with a reader in her pocket. She held it to the first tag and asked \
     what it was. The workshop did not know, and said so. She told it: this is the router. The workshop repeated \
     what it had heard, and waited. Only when she said that it was right did it remember. Tag by tag they went \
     along the wall: the drill, the lathe, the box of odd screws. By midnight the workshop knew them all by name. \
     In the morning the session ended, and it had forgotten everything. She laughed, took out her reader, and \
     began again.";

/// The help, of what this session can use.
pub(super) fn help(usable: Modalities, requestable: Modalities) -> String {
    let mut text = String::from("You can say \"hello\", \"tell a story\" or \"help\".");
    if requestable.contains(Modality::Nfc) {
        text.push_str(" Say \"scan an object\" and I ask you for a tag.");
    }
    if requestable.contains(Modality::Photo) {
        text.push_str(" Say \"take a photo\" and I ask you for a picture.");
    }
    if usable.contains(Modality::Nfc) {
        text.push_str(
            " Show me a tag, then say \"teach object\" and a name; I propose what to remember, and store it \
             for this session when you say \"confirm object\". \"cancel teaching\" drops the proposal.",
        );
    }
    text
}

/// The greeting.
pub(super) fn greeting(usable: Modalities) -> String {
    let offer = match (usable.contains(Modality::Nfc), usable.contains(Modality::Photo)) {
        (true, true) => "Show me a tag or a photo, or say \"help\".",
        (true, false) => "Show me a tag, or say \"help\".",
        (false, true) => "Show me a photo, or say \"help\".",
        (false, false) => "We can talk in text; say \"help\" to hear what about.",
    };
    format!("Hello from the workshop. {offer}")
}

/// The answer to text that is no command: the beginning of it, said back.
pub(super) fn echo(text: &str) -> String {
    const MOST: usize = 200;
    let lines = text.replace(['\n', '\t'], " ");
    let said: String = lines.chars().filter(|c| !c.is_control()).take(MOST).collect();
    let cut = if text.chars().count() > MOST { "…" } else { "" };
    format!("I heard: {said}{cut}\nI know only a few sentences; say \"help\" to hear them.")
}

/// What the agent says when it asks, on screen and aloud.
pub(super) const fn prompt(modality: Modality) -> &'static str {
    match modality {
        Modality::Nfc => "Please show me the tag",
        Modality::Photo => "Please take a photo for me",
    }
}

/// That the agent cannot ask for this.
pub(super) fn cannot_ask(modality: Modality) -> String {
    format!("I cannot ask for that: this session has not negotiated {modality}.")
}

/// The proposal, with exactly what would be remembered.
pub(super) fn proposal(object_ref: &str, label: &str) -> String {
    format!(
        "I would remember {object_ref} as \"{label}\". Nothing is stored yet. \
         Say \"confirm object\" to store it, or \"cancel teaching\" to drop it."
    )
}

/// Why nothing was proposed or stored.
pub(super) const fn not_taught(why: NotTaught) -> &'static str {
    match why {
        NotTaught::NoObject => "Show me the object first. Nothing was proposed.",
        NotTaught::NoLabel => "Say \"teach object\" and the name to remember. Nothing is proposed now.",
        NotTaught::UnfitLabel => {
            "That name does not fit: it may have 256 characters on one line. Nothing is proposed now."
        }
        NotTaught::NoProposal => "There is no proposal to confirm. Nothing was stored.",
        NotTaught::Full => {
            "I already know 32 objects in this session, which is all I can. Nothing is proposed now."
        }
    }
}

/// What was heard, as it was measured.
pub(super) fn heard(heard: Heard) -> String {
    let seconds = heard.duration.as_secs_f32();
    match heard.packets {
        0 => "I heard nothing: no sound came in that turn.".to_owned(),
        _ if heard.level_db <= SILENCE_DB => format!("I heard {seconds:.1} s of silence. I play it back."),
        _ => format!("I heard {seconds:.1} s at {:.0} dBFS. I play it back.", heard.level_db),
    }
}

/// The facts of a photo, as verified.
pub(super) fn photo(width: u32, height: u32, bytes: usize) -> String {
    format!("I see a JPEG of {width} × {height}, {} bytes.", Bytes(bytes))
}
