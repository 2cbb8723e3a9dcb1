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

#[test]
fn a_reply_cut_anywhere_is_not_typed() {
    let mut pty = typing();
    let reply = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\";
    pty.send("<");
    // Behind a lone ESC, and what a hand with Alt held sends, a long pause makes keys of them: on a busy machine any pause
    // may be long. Those cuts are held with a clock of the test's own, beside the decoder.
    for cut in 3..reply.len() {
        let (first, rest) = reply.split_at(cut);
        pty.send(first);
        // Longer than one read.
        std::thread::sleep(std::time::Duration::from_millis(5));
        pty.send(rest);
    }
    pty.send(">");
    pty.wait_for("what was typed, side by side", |screen| screen.contains("<>"));
    leave(pty);
}

#[test]
fn an_end_mark_in_a_paste_does_not_send() {
    let mut pty = typing();
    pty.send("\x1b[200~first\x1b[201~\rsecond\r\x03\x1b[201~");
    let screen = pty.wait_for("the paste", |screen| screen.contains("second"));
    assert!(screen.contains("first") && screen.contains("turn 0 · idle"), "nothing was sent:\n{screen}");
    leave(pty);
}

#[test]
fn a_paste_over_a_review_sends_nothing_and_drops_nothing() {
    let mut pty = Pty::live_demo();
    pty.send("c");
    pty.wait_for("an aim", |screen| screen.contains("Enter take the picture"));
    pty.send("\r");
    pty.wait_for("a review", |screen| screen.contains("Enter send"));
    pty.send("\x1b[200~yes\rsend\r\x1b\r\x1b[201~");
    pty.send("\x1b[200~\x1b[201~\r\r");
    pty.resize(30, 120);
    let screen = pty.wait_for("the review still", |screen| screen.contains("Enter send"));
    assert!(screen.contains("turn 0"), "{screen}");
    // What is glued to a paste belongs to it.
    std::thread::sleep(std::time::Duration::from_millis(200));
    pty.send("\x03");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}

#[test]
fn g14_however_much_happens_fewer_than_sixty_frames_a_second_are_drawn() {
    let mut pty = typing();
    // Whatever was drawn, the cursor is shown in the field at the end of each frame.
    let frames = |pty: &Pty| pty.written().windows(6).filter(|bytes| bytes == b"\x1b[?25h").count();
    let (before, begun) = (frames(&pty), std::time::Instant::now());
    for _ in 0..1_500 {
        pty.send("x");
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    pty.send("<end>");
    pty.wait_for("its end", |screen| screen.contains("<end>"));
    let (drawn, took) = (frames(&pty) - before, begun.elapsed());
    let most = took.as_secs_f64() * 60.0 + 2.0;
    assert!(drawn >= 2 && (drawn as f64) < most, "{drawn} frames in {took:?}");
    leave(pty);
}

#[test]
fn esc_is_quick() {
    let mut pty = typing();
    let begun = std::time::Instant::now();
    pty.send("\x1b");
    pty.wait_for("the panes", |screen| !screen.contains("Esc leave"));
    assert!(begun.elapsed() < std::time::Duration::from_millis(500), "{:?}", begun.elapsed());
    pty.send("q");
    assert_eq!(pty.wait_exit(), 0);
    pty.assert_given_back();
}
