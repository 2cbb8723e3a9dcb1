//! The table of rules: what the profile asks for, one sentence each. Findings everywhere cite it.

use std::fmt;

/// How much a rule weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Breaking it breaks the contract.
    Must,
    /// Breaking it is worth a note.
    Should,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "must",
            Self::Should => "should",
        })
    }
}

/// One rule of the profile.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// Its stable name, such as `CARD-4`.
    pub id: &'static str,
    /// Its weight.
    pub level: Level,
    /// Where it stands: a section of the profile (`§ Discovery`) or a reading (`R12`), or both.
    pub section: &'static str,
    /// What it asks for, in one sentence.
    pub text: &'static str,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $level:ident, $section:literal, $text:literal;)*) => {
        $(
            #[doc = $text]
            pub static $name: Rule = Rule { id: $id, level: Level::$level, section: $section, text: $text };
        )*
        /// Every rule, in the order of the table.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    // the card
    CARD_SIZE = "CARD-1", Must, "§ WebSocket and WebRTC", "A card is at most 256 KiB, checked before it is parsed.";
    CARD_JSON = "CARD-2", Must, "§ Discovery", "A card is one JSON object in UTF-8.";
    CARD_EXTENSION = "CARD-3", Must, "§ Discovery, R1", "A card declares the AgentCall AG-UI extension in capabilities.extensions.";
    CARD_ONE_DECLARATION = "CARD-4", Must, "§ Version and migration", "A card declares the extension once: duplicates and mixtures of the canonical and the legacy URI are refused.";
    CARD_SCHEMA_VERSION = "CARD-5", Must, "§ Version and migration, R1", "params.schemaVersion is \"0.1\".";
    CARD_REQUIRED_UNKNOWN = "CARD-6", Must, "§ Discovery", "A required extension that is not known makes the card incompatible.";
    CARD_MODALITIES = "CARD-7", Must, "§ Discovery", "accepted and agentRequests are unique arrays of at most two modalities, nfc and photo.";
    CARD_REQUESTS_ACCEPTED = "CARD-8", Must, "§ Discovery", "Every modality in agentRequests is also in accepted.";
    CARD_UNMAPPED_PROFILE = "CARD-9", Must, "§ Discovery, R20", "Physical inputs are supported only on WebSocket or the profile agentcall-webrtc-0.1.";
    CARD_TRANSPORT = "CARD-10", Must, "§ WebSocket and WebRTC, R20", "The card names a transport that this client knows.";
    CARD_ENDPOINT = "CARD-11", Must, "§ WebSocket and WebRTC, R23", "params.agui.url is an https URL.";
    CARD_WEBRTC = "CARD-12", Must, "§ WebSocket and WebRTC, R31", "For webrtc the card has voice.owner \"agent\" and the exact audio and events objects.";
    CARD_RESUME = "CARD-13", Must, "§ WebSocket and WebRTC, R26", "Resume and replay are false in the WebRTC version.";
    CARD_RESUME_UNUSED = "CARD-14", Should, "§ Session and input, R26", "Resume is not advertised without a tested replay; this client never resumes.";
    CARD_INTERFACES_EMPTY = "CARD-15", Should, "§ Discovery, R28", "supportedInterfaces lists the agent's A2A interfaces.";
    CARD_VERSION_SHAPE = "CARD-16", Should, "§ Discovery", "The card has the shape of A2A 1.0.";
    CARD_FIELDS = "CARD-17", Should, "§ Discovery", "A2A fields of the card have the types that A2A gives them.";
    CARD_LEGACY_URI = "CARD-18", Should, "§ Version and migration", "New producers use the canonical extension URI.";
    CARD_EXPLICIT_TURNS_PLACE = "CARD-19", Should, "§ WebSocket and WebRTC, R3", "supportsExplicitTurns stands in params.agui.webrtc.";
    CARD_PARAMS = "CARD-20", Must, "§ Discovery", "The members of params have the types that the profile gives them.";
    CARD_MEDIA_TYPE = "CARD-21", Should, "§ Discovery", "A card is served as application/json.";
    CARD_SECURITY = "CARD-22", Should, "§ WebSocket and WebRTC, R17", "The security of a card names schemes that it declares; this client has HTTP bearer.";
    // frames
    FRAME_SIZE = "FRAME-1", Must, "§ WebSocket and WebRTC, R30", "A frame is at most 128 KiB, checked before it is parsed.";
    FRAME_BINARY = "FRAME-2", Must, "§ WebSocket and WebRTC", "Binary input is rejected.";
    FRAME_JSON = "FRAME-3", Must, "§ WebSocket and WebRTC", "A frame is one JSON object in UTF-8.";
    FRAME_DUPLICATE_KEY = "FRAME-4", Should, "§ WebSocket and WebRTC", "A JSON object names each member once; the last one counts.";
    FRAME_BOM = "FRAME-5", Should, "§ WebSocket and WebRTC", "JSON text begins without a byte order mark (RFC 8259 § 8.1).";
    FRAME_SURROGATE = "FRAME-6", Should, "§ WebSocket and WebRTC", "Escaped surrogates come in pairs (RFC 8259 § 8.2); a lone one is shown as U+FFFD.";
    FRAME_DEPTH = "FRAME-7", Must, "§ WebSocket and WebRTC", "A frame nests at most 64 levels deep (our bound).";
    // envelopes and the session
    ENV_SHAPE = "ENV-1", Must, "§ Session and input", "A server envelope has a positive integer sequence and an event object with a type.";
    ENV_SEQUENCE = "ENV-2", Must, "§ Session and input, R12", "Sequences increase strictly; a repeat or a step back is not acted on.";
    ENV_GAP = "ENV-3", Should, "§ Session and input, R12", "Sequences have no gaps.";
    SES_FIRST = "SES-1", Must, "§ Session and input, R13", "The first server envelope is session.established.";
    SES_FIRST_SEQUENCE = "SES-2", Should, "§ Session and input, R13", "session.established has sequence 1.";
    SES_RESUMED = "SES-3", Must, "§ Session and input, R13", "resumed is false: this client never asks to resume.";
    SES_AGAIN = "SES-4", Must, "§ Session and input", "session.established comes once.";
    SES_START_FIRST = "SES-5", Must, "§ Session and input", "The first client message is session.start.";
    EV_FIELDS = "EV-1", Must, "§ Session and input", "The members of a known event have the types that the profile gives them.";
    EV_BOUND = "EV-2", Should, "§ Session and input, R11", "Texts and ids of events keep their bounds.";
    EV_STABLE = "EV-3", Should, "§ Session and input", "speech.segment has stable true.";
    EV_EMPTY_DELTA = "EV-4", Should, "§ Session and input", "text.delta carries text.";
    EV_UNKNOWN = "EV-7", Should, "§ Session and input", "An unknown event type grants no capability and executes nothing.";
    EV_LEAK = "EV-8", Must, "§ Session and input", "A failure leaks no credentials and echoes no image bytes.";
    RUN_NESTED = "RUN-1", Must, "§ Session and input", "Only one run is active.";
    RUN_OUTSIDE = "RUN-2", Must, "§ Session and input", "text.delta, speech.segment and run.completed belong to a run that has started.";
    RUN_UNASKED = "RUN-3", Should, "§ Session and input", "run.started answers a turn of the client.";
    RUN_CANCEL = "RUN-4", Should, "§ Session and input, R15", "A cancelled run ends with run.completed or failure within 5 s.";
    // interactions
    IX_ALLOWED = "IX-1", Must, "§ Agent-requested collection, R25", "The agent asks only for modalities in agentRequests that this session has negotiated.";
    IX_KIND = "IX-2", Must, "§ Agent-requested collection, R25", "kind is physical.nfc.scan or physical.photo.capture.";
    IX_OPTIONS = "IX-3", Must, "§ Agent-requested collection, R25", "options is empty and allowsFreeform is false.";
    IX_ONE_PENDING = "IX-4", Must, "§ Agent-requested collection, R25", "Only one request is pending.";
    IX_UNKNOWN = "IX-5", Must, "§ Agent-requested collection", "interaction.resolved names the pending interaction.";
    IX_OUTCOME = "IX-6", Should, "§ Agent-requested collection", "outcome is answered or cancelled.";
    IX_ID = "IX-7", Must, "§ Agent-requested collection", "A request has an interactionId, and a new one each time.";
    // observations, passports, turns: what we send, and what the reference agent checks
    OBS_CONTENT = "OBS-1", Must, "§ Session and input", "An observation has an object, an image, or both.";
    OBS_MODALITY = "OBS-2", Must, "§ Session and input", "Every modality of an observation is in the intersection of card and session.";
    OBS_IMAGE = "OBS-3", Must, "§ Security, photos, and exact object lookup", "An image is a JPEG of at most 61,440 bytes and 1,024 pixels on either side.";
    OBS_IMAGE_FACTS = "OBS-4", Must, "§ Security, photos, and exact object lookup", "byteCount, sha256, pixelWidth and pixelHeight are those of the JPEG itself.";
    OBS_OBJECT = "OBS-5", Must, "§ Session and input", "An object has objectRef, carrier, assurance and payloadSha256 within their bounds.";
    OBS_SIGNED = "OBS-6", Must, "§ Security, photos, and exact object lookup", "signedTag is reserved for a separately verified carrier.";
    OBS_INTERACTION = "OBS-7", Must, "§ Agent-requested collection", "An answer names the pending interaction and has its modality; each is answered once.";
    OBS_PASSPORT = "OBS-8", Must, "§ Security, photos, and exact object lookup, R19", "A passport is at most 16 KiB, has schemaVersion \"0.1\", and every action recipe has requiresConfirmation true.";
    OBS_FIELDS = "OBS-9", Must, "§ Session and input", "schemaVersion is \"0.1\", capturedAt is RFC 3339, intent is identify, remember, inspect or act, ids keep their bounds.";
    TURN_ORDER = "TURN-1", Must, "§ Session and input", "turn increases strictly over user.turn and user.observation.";
    TURN_TEXT = "TURN-2", Must, "§ Session and input, R11", "The text of a turn is not empty and at most 8,192 characters.";
    TURN_CONTEXT = "TURN-3", Must, "§ Session and input, R11", "Context has at most 16 entries of bounded description and value.";
    TURN_ONE_RUN = "TURN-4", Must, "§ Session and input, R14", "No turn is sent into an active run.";
    AUDIO_ONE_OPEN = "TURN-5", Must, "§ WebSocket and WebRTC, R5", "Only one audio turn is open; start, commit and cancel carry its turn.";
    AUDIO_EXPLICIT = "TURN-6", Must, "§ WebSocket and WebRTC, R4", "Audio turns are sent only where the agent supports explicit turns and session.start has declared them.";
    MSG_KNOWN = "MSG-1", Must, "§ Session and input", "A client message is one of those that the profile names, with its members.";
    TEACH_CONFIRM = "TEACH-1", Must, "§ Security, photos, and exact object lookup, R32", "A confirmation needs a current proposal for the object in focus.";
    TEACH_LABEL = "TEACH-2", Must, "§ Independent reference proof", "A label has 1 to 256 characters; a session holds at most 32.";
}

/// The rule of that id, if there is one.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.id == id)
}

/// The table as a page of Markdown, for people who look up the rule of a finding.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Rules\n\nGenerated from the table in `src/protocol/rules.rs`; `make generate` writes it. A `§` is a section of the\nprofile, an `R` one of the [readings](readings.md). A frame that breaks a must-level rule is not acted on.\n\n| id | level | what it asks for | from |\n|---|---|---|---|\n",
    );
    for rule in ALL {
        page.push_str(&format!("| {} | {} | {} | {} |\n", rule.id, rule.level, rule.text, rule.section));
    }
    page
}
