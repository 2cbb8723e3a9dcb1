//! What is typed, pasted and answered.

use super::harness::Pty;

fn typing() -> Pty {
    let mut pty = Pty::live_demo();
    pty.send("i");
    pty.wait_for("the field", |screen| screen.contains("Esc leave"));
    pty
}

fn leave(mut pty: Pty) {
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn a_turn_is_typed_and_answered() {
    let mut pty = typing();
    pty.send("hello");
    pty.wait_for("what is typed", |screen| screen.contains("hello"));
    pty.send("\r");
    pty.wait_for("the answer", |screen| {
        screen.contains("turn 1 · idle") && screen.contains("you   hello") && screen.contains("agent ")
    });
    leave(pty);
}

#[test]
fn a_paste_with_line_ends_does_not_send() {
    let mut pty = typing();
    pty.send("\x1b[200~first\rsecond\r\nthird\n\x1b[201~");
    let screen = pty.wait_for("the paste", |screen| screen.contains("third"));
    assert!(screen.contains("first") && screen.contains("second"), "{screen}");
    assert!(screen.contains("turn 0 · idle"), "nothing was sent:\n{screen}");
    pty.send("\r");
    pty.wait_for("one turn", |screen| screen.contains("turn 1 · idle"));
    leave(pty);
}

#[test]
fn the_byte_0a_is_a_line_end_in_the_message_and_0d_sends() {
    let mut pty = typing();
    pty.send("one\ntwo");
    let screen = pty.wait_for("both lines", |screen| screen.contains("two"));
    assert!(screen.contains("turn 0 · idle"), "{screen}");
    pty.send("\r");
    pty.wait_for("one turn", |screen| screen.contains("turn 1 · idle"));
    leave(pty);
}

#[test]
fn a_reply_of_the_terminal_is_not_typed() {
    let mut pty = typing();
    pty.send("<");
    pty.send("\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\");
    pty.send("\x1bP>|XTerm(397)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[?62;22c\x1b]10;rgb:ffff/ffff/ffff\x07");
    pty.send(">");
    pty.wait_for("what was typed, side by side", |screen| screen.contains("<>"));
    leave(pty);
}

#[test]
fn a_burst_of_keys_arrives_whole() {
    let mut pty = typing();
    // Several buffers of the terminal library, then an end.
    pty.send("x".repeat(3_000));
    pty.send("<end>");
    pty.wait_for("its end", |screen| screen.contains("x<end>"));
    leave(pty);
}
