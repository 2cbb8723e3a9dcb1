//! Typing, sending, queueing, teaching, confirming.

use super::stage::{Stage, asks, says};
use crate::app::{Effect, Message, Mode};
use crate::client::notice::LineKind;
use crate::client::{Notice, Request};
use crate::command::Key;
use crate::session::RunState;

fn stage() -> Stage {
    Stage::live(120, 40)
}

#[test]
fn what_is_typed_is_sent_by_enter_and_the_field_stays_open() {
    let mut stage = stage();
    stage.press("i");
    stage.types("What is this? q x ?");
    assert_eq!(stage.press("Enter"), says("What is this? q x ?"));
    assert!(matches!(stage.model.mode, Mode::Typing));
    assert_eq!(stage.model.draft.text(), "");
}

#[test]
fn nothing_is_sent_while_nothing_is_typed() {
    let mut stage = stage();
    assert_eq!(stage.press("i Enter Space Enter"), Vec::new());
}

#[test]
fn leaving_keeps_the_draft_and_coming_back_goes_on() {
    let mut stage = stage();
    stage.press("i");
    stage.types("half a");
    assert_eq!(stage.press("Esc"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
    stage.press("i");
    stage.types(" sentence");
    assert_eq!(stage.press("Enter"), says("half a sentence"));
}

#[test]
fn ctrl_j_is_a_new_line() {
    let mut stage = stage();
    stage.press("i");
    stage.types("one");
    assert_eq!(stage.press("Ctrl+J"), Vec::new());
    stage.types("two");
    assert_eq!(stage.press("Enter"), says("one\ntwo"));
}

#[test]
fn a_paste_never_sends_whatever_it_holds() {
    let mut stage = stage();
    stage.pastes("rm -rf /\r\nconfirm object\r\n\u{1b}[31mred\u{7}");
    assert!(matches!(stage.model.mode, Mode::Typing));
    assert_eq!(stage.model.draft.text(), "rm -rf /\nconfirm object\n[31mred");
}

#[test]
fn a_paste_goes_where_the_cursor_is() {
    let mut stage = stage();
    stage.press("i");
    stage.types("ad");
    stage.press("Left");
    stage.pastes("bc");
    stage.types("!");
    assert_eq!(stage.press("Enter"), says("abc!d"));
}

#[test]
fn a_huge_paste_is_cut_and_that_is_said() {
    let mut stage = stage();
    stage.pastes(&"x".repeat(40_000));
    assert_eq!(stage.model.draft.text().len(), 32_768);
    let status = stage.model.status.as_ref().expect("a line");
    assert!(status.text.as_str().starts_with("7232 characters"), "{}", status.text);
    stage.types("y");
    assert_eq!(stage.model.draft.text().len(), 32_768, "no more is typed than fits");
}

#[test]
fn a_message_without_a_session_is_kept() {
    let mut stage = Stage::new(120, 40);
    stage.press("i");
    stage.types("hello");
    assert_eq!(stage.press("Enter"), Vec::new());
    assert_eq!(stage.model.draft.text(), "hello");
    assert!(stage.model.status.as_ref().is_some_and(|s| s.text.as_str().contains("no live session")));
}

#[test]
fn a_refused_message_goes_back_into_the_field() {
    let mut stage = stage();
    stage.press("i");
    stage.types("too long, say");
    stage.press("Enter");
    let line = stage.line(LineKind::Gate, "The text of a turn has at most 8,192 characters (TURN-2, R11).");
    stage.notice(Notice::Refused(line));
    assert_eq!(stage.model.draft.text(), "too long, say");
}

#[test]
fn a_refusal_of_something_else_gives_nothing_back() {
    let mut stage = stage();
    stage.press("i");
    stage.types("hello");
    stage.press("Enter");
    stage.said("hello");
    let line = stage.line(LineKind::Gate, "The reader is armed already.");
    stage.notice(Notice::Refused(line));
    assert_eq!(stage.model.draft.text(), "");
}

#[test]
fn one_turn_is_queued_and_esc_drops_it() {
    let mut stage = stage();
    stage.said("first");
    stage.press("i");
    stage.types("second");
    assert_eq!(stage.press("Enter"), says("second"));
    stage.holds("second");
    stage.types("third");
    assert_eq!(stage.press("Enter"), Vec::new(), "a second one cannot be queued");
    assert_eq!(stage.model.draft.text(), "third");
    assert_eq!(stage.press("Esc"), Vec::new(), "the first Esc leaves the field");
    assert_eq!(stage.press("Esc"), asks(Request::DropHeld));
}

#[test]
fn esc_closes_then_leaves_then_drops_then_shows_all() {
    let mut stage = stage();
    stage.press("/");
    stage.types("in");
    stage.press("Enter");
    stage.said("first");
    stage.holds("second");
    stage.press("?");
    assert_eq!(stage.press("Esc"), Vec::new());
    assert_eq!(stage.press("Esc"), asks(Request::DropHeld));
    stage.session.held = None;
    stage.tell();
    assert_eq!(stage.model.events.filter(), "in");
    assert_eq!(stage.press("Esc"), Vec::new());
    assert_eq!(stage.model.events.filter(), "");
}

#[test]
fn teaching_needs_an_object_in_focus() {
    let mut stage = stage();
    assert_eq!(stage.press("t"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
    assert!(stage.model.status.as_ref().is_some_and(|s| s.text.as_str().contains("scan one first")));
}

#[test]
fn teach_confirm_and_cancel() {
    let mut stage = stage();
    stage.showed(None);
    stage.press("t");
    stage.types("Workshop router");
    assert_eq!(stage.press("Enter"), says("teach object Workshop router"));
    stage.proposes("Workshop router");
    assert_eq!(stage.press("o"), Vec::new(), "it is shown first");
    assert_eq!(stage.press("Esc"), Vec::new(), "Esc leaves it unstored");
    stage.press("o");
    assert_eq!(stage.press("Enter"), says("confirm object"));
    assert_eq!(stage.press("T"), says("cancel teaching"));
}

#[test]
fn only_the_proposal_that_was_shown_is_confirmed() {
    let mut stage = stage();
    stage.proposes("Workshop router");
    stage.press("o");
    stage.proposes("Something else");
    assert!(matches!(stage.model.mode, Mode::Panes));
    assert_ne!(stage.press("Enter"), says("confirm object"));
}

#[test]
fn without_a_proposal_there_is_nothing_to_confirm() {
    let mut stage = stage();
    assert_eq!(stage.press("o Enter"), Vec::new());
}

#[test]
fn cancelling_is_asked_at_once_and_so_is_reconnecting_without_a_session() {
    let mut stage = stage();
    assert_eq!(stage.press("x"), asks(Request::Cancel));
    stage.connection(crate::client::notice::Connection::Idle);
    assert_eq!(stage.press("r"), asks(Request::Reconnect));
}

#[test]
fn quitting_asks_while_a_run_is_active() {
    let mut stage = stage();
    stage.said("hello");
    assert_eq!(stage.press("q"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Asking(crate::app::Question::Quit)));
    assert_eq!(stage.press("n"), Vec::new());
    assert!(matches!(stage.model.mode, Mode::Panes));
    assert_eq!(stage.press("q y"), asks(Request::Quit));
    assert!(stage.model.ending);
    assert_eq!(stage.notice(Notice::Stopped), vec![Effect::Exit]);
}

#[test]
fn quitting_an_idle_session_asks_nothing_and_insisting_does_not_wait() {
    let mut stage = stage();
    stage.session.run = RunState::Idle;
    assert_eq!(stage.press("q"), asks(Request::Quit));
    assert_eq!(stage.press("q"), vec![Effect::Exit]);
}

#[test]
fn ctrl_c_quits_from_everywhere_and_ctrl_z_suspends() {
    for open in ["i", "?", ":", "p", "/", "Esc"] {
        let mut stage = stage();
        stage.said("hello");
        stage.press(open);
        assert_eq!(stage.press("Ctrl+Z"), vec![Effect::Suspend], "{open}");
        assert_eq!(stage.press("Ctrl+C"), asks(Request::Quit), "{open}");
    }
}

#[test]
fn every_character_typed_into_a_field_is_text() {
    for (open, typed) in [("i", true), ("/", true), (":", true), ("p", true)] {
        let mut stage = stage();
        stage.press(open);
        for c in (' '..='~').chain(['é', '工', '👍']) {
            assert_eq!(stage.model.update(Message::Key(Key::Char(c))), Vec::new(), "{open}: {c}");
        }
        let text = match &stage.model.mode {
            Mode::Typing => stage.model.draft.text().to_owned(),
            Mode::Filtering(filtering) => filtering.editor.text().to_owned(),
            Mode::Picker(editor, _) => editor.text().to_owned(),
            Mode::Palette(palette) => palette.editor.text().to_owned(),
            other => panic!("{open} led to {other:?}"),
        };
        assert_eq!(text.chars().count() == 98, typed, "{open}: {text}");
    }
}

#[test]
fn editing_keys_edit() {
    let mut stage = stage();
    stage.press("i");
    stage.types("one two three");
    stage.press("Ctrl+W Backspace Home Delete");
    stage.types("O");
    stage.press("End Ctrl+H");
    stage.types("0");
    assert_eq!(stage.model.draft.text(), "One tw0");
    stage.press("Ctrl+U");
    assert_eq!(stage.model.draft.text(), "");
}
