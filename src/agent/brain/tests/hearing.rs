//! Audio turns: opened, committed and answered with what was heard, or cancelled without a trace.

use super::*;

const START: &str = r#"> {"type":"session.start","sessionId":"s-1","clientCapabilities":{"audioTurnControl":{"mode":"explicit"}}}"#;
const TURN: fn(&str, u64) -> String =
    |what, turn| format!(r#"> {{"type":"audio.turn.{what}","turn":{turn}}}"#);

fn with_sound() -> Dialogue {
    let mut dialogue = Dialogue::new(BrainConfig { sound: true, ..at_once() });
    dialogue.expect(&format!("{START}\n< established"));
    dialogue
}

#[test]
fn a_committed_turn_is_answered_with_what_was_heard_and_played_back() {
    with_sound().expect(&format!(
        "{}\n< (start)\n{}\n< (stop)
         heard 3240 -18 162\n< (playback)\n< run: I heard 3.2 s at -18 dBFS. I play it back.
         > say 2 hello\n< run: Hello from the workshop. We can talk in text; say \"help\" to hear what about.",
        TURN("start", 1),
        TURN("commit", 1)
    ));
}

#[test]
fn silence_and_nothing_are_told_apart() {
    with_sound().expect(&format!(
        "{}\n< (start)\n{}\n< (stop)\nheard 1000 -90 50\n< (playback)\n< run: I heard 1.0 s of silence. I play it back.
         {}\n< (start)\n{}\n< (stop)\nheard 0 -100 0\n< run: I heard nothing: no sound came in that turn.",
        TURN("start", 1),
        TURN("commit", 1),
        TURN("start", 2),
        TURN("commit", 2)
    ));
}

#[test]
fn a_cancelled_turn_leaves_nothing_and_its_number_is_used() {
    with_sound().expect(&format!(
        "{}\n< (start)\n{}\n< (forget)\nheard 900 -20 45\n{}\n< failure turn_replayed",
        TURN("start", 1),
        TURN("cancel", 1),
        TURN("start", 1)
    ));
}

#[test]
fn one_turn_is_open_at_a_time_and_each_end_carries_its_number() {
    with_sound().expect(&format!(
        "{}\n< failure invalid_message\n{}\n< (start)\n{}\n< failure invalid_message
         > say 2 hello\n< failure invalid_message
         {}\n< failure invalid_message\n{}\n< (forget)",
        TURN("commit", 1),
        TURN("start", 1),
        TURN("start", 2),
        TURN("commit", 2),
        TURN("cancel", 1)
    ));
}

#[test]
fn without_the_declaration_or_without_sound_no_turn_is_opened() {
    let start = TURN("start", 1);
    Dialogue::open().expect(&format!("{start}\n< failure unsupported"));
    let mut dialogue = Dialogue::new(BrainConfig { sound: true, ..at_once() });
    dialogue.expect(&format!("> start nfc photo\n< established\n{start}\n< failure unsupported"));
    let mut dialogue = Dialogue::new(at_once());
    dialogue.expect(&format!("{START}\n< established\n{start}\n< failure unsupported"));
}

#[test]
fn the_end_and_a_cancel_forget_what_was_recorded() {
    let start = TURN("start", 1);
    with_sound().expect(&format!("{start}\n< (start)\n> end\n< (forget)\n< close 1000"));
    with_sound().expect(&format!("{start}\n< (start)\n> cancel\n< (forget)"));
}
