//! The sequences; what they do to a terminal is held by `tests/terminal`.

use super::output::{giving_back, taking};

fn applied(bytes: &[u8]) -> vt100::Parser {
    let mut parser = vt100::Parser::new(5.try_into().unwrap(), 20.try_into().unwrap(), 0);
    parser.process(bytes);
    parser
}

#[test]
fn the_screen_is_taken_without_the_mouse() {
    let terminal = applied(&taking().unwrap());
    let screen = terminal.screen();
    assert!(screen.alternate_screen() && screen.bracketed_paste() && screen.hide_cursor());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

#[test]
fn everything_taken_is_given_back_even_from_the_middle_of_a_frame() {
    let mut bytes = b"$ agentcall\r\n".to_vec();
    bytes.extend(taking().unwrap());
    bytes.extend(b"\x1b[?2026h\x1b[1;31;44mhalf a frame");
    bytes.extend(giving_back().unwrap());
    let terminal = applied(&bytes);
    let screen = terminal.screen();
    assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
    assert_eq!(screen.fgcolor(), vt100::Color::Default);
    assert_eq!(screen.bgcolor(), vt100::Color::Default);
    assert!(!screen.bold());
    assert_eq!(screen.contents(), "$ agentcall");
    assert_eq!(screen.cursor_position(), (1, 0));
    let ends = |mode: &str| bytes.windows(mode.len()).any(|window| window == mode.as_bytes());
    assert!(ends("\x1b[?1004l") && ends("\x1b[?2026l"), "focus reports and the synchronised update");
}
