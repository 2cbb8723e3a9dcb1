//! What the agent of the measurements says: envelopes as an agent streams them, encoded before anything is timed.

/// Of 25 envelopes in a run one begins and one ends an interaction, two are to be spoken, the rest is text.
const PATTERN: usize = 25;
/// Pieces as a language model streams them: mostly a word, sometimes a mark, sometimes no ASCII.
const PIECES: [&str; 12] = [
    "The",
    " router",
    " stands",
    " on",
    " the",
    " shelf",
    ",",
    " neben",
    " dem",
    " Lötkolben",
    " — \"safe\"\n",
    " 工具箱",
];

/// The envelope with this sequence, inside a run.
pub fn inside(sequence: u64) -> String {
    let event = match sequence as usize % PATTERN {
        7 => format!(
            r#"{{"type":"interaction.requested","interactionId":"ix-{sequence}","kind":"physical.nfc.scan","prompt":"Hold the tag to the reader.","spokenPrompt":"Hold the tag to the reader.","options":[],"allowsFreeform":false}}"#
        ),
        8 => {
            let id = sequence - 1;
            format!(r#"{{"type":"interaction.resolved","interactionId":"ix-{id}","outcome":"cancelled"}}"#)
        }
        12 | 24 => format!(
            r#"{{"type":"speech.segment","segmentId":"s-{sequence}","text":"The router stands on the shelf.","stable":true}}"#
        ),
        other => {
            let text = PIECES[(sequence as usize * 7 + other) % PIECES.len()];
            format!(r#"{{"type":"text.delta","text":{}}}"#, quoted(text))
        }
    };
    envelope(sequence, &event)
}

/// An envelope around this event.
pub fn envelope(sequence: u64, event: &str) -> String {
    format!(r#"{{"sequence":{sequence},"event":{event}}}"#)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\"").replace('\n', "\\n"))
}

/// Appends a text frame from a server (RFC 6455, section 5.2).
pub fn frame(out: &mut Vec<u8>, opcode: u8, payload: &[u8]) {
    out.push(0x80 | opcode);
    match payload.len() {
        length @ 0..=125 => out.push(length as u8),
        length => {
            out.push(126);
            out.extend(u16::try_from(length).expect("no frame here is that long").to_be_bytes());
        }
    }
    out.extend_from_slice(payload);
}

/// The opcode of text.
pub const TEXT: u8 = 1;
/// The opcode of a close.
pub const CLOSE: u8 = 8;

/// A whole stream of envelopes from sequence 1 on, cut into blocks of about equal numbers of them.
pub struct Stream {
    /// Frames, ready for the socket.
    pub blocks: Vec<Vec<u8>>,
    /// How many envelopes there are.
    pub envelopes: u64,
}

impl Stream {
    /// `session.established`, and then `inside` envelopes in runs of at most `run`, `per_block` in a block.
    pub fn new(inside_all: u64, run: u64, per_block: usize) -> Self {
        let mut texts = vec![envelope(1, r#"{"type":"session.established","resumed":false}"#)];
        let mut left = inside_all;
        while left > 0 {
            let next = |texts: &Vec<String>| texts.len() as u64 + 1;
            texts.push(envelope(next(&texts), r#"{"type":"run.started"}"#));
            for _ in 0..left.min(run) {
                texts.push(inside(next(&texts)));
            }
            left -= left.min(run);
            texts.push(envelope(next(&texts), r#"{"type":"run.completed"}"#));
        }
        let envelopes = texts.len() as u64;
        // The first block is session.established alone: the rest waits for the user's turn.
        let blocks = std::iter::once(&texts[..1]).chain(texts[1..].chunks(per_block)).map(encoded).collect();
        Self { blocks, envelopes }
    }
}

fn encoded(texts: &[String]) -> Vec<u8> {
    let mut block = Vec::new();
    texts.iter().for_each(|text| frame(&mut block, TEXT, text.as_bytes()));
    block
}
