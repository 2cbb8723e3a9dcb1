//! What reaches the terminal, and what comes from it.

use std::time::Duration;

use agentcall::app::{Effect, Message, Model, Options};
use agentcall::command::Key;
use agentcall::safe_text::SafeText;
use agentcall::tui::input::bytes::{Decoder, LONGEST_PASTE, REST_WAIT};
use agentcall::tui::input::keys::translate;
use agentcall::tui::input::replies::Replies;
use agentcall::tui::theme::Theme;
use agentcall::tui::view;
use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

/// Text from outside: what can be drawn holds no control and no direction mark, cleaning is stable, cutting keeps
/// its bound, and a text that comes in two pieces is as clean as one in one piece.
pub fn safe_text(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for safe in [SafeText::line(&text), SafeText::block(&text)] {
        clean(&safe);
        assert!(safe.cut(7).as_str().chars().count() <= 7);
    }
    assert!(!SafeText::line(&text).as_str().contains('\n'));
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut joined = SafeText::block(&text[..middle]);
    joined.push(&SafeText::block(&text[middle..]));
    clean(&joined);
}

fn clean(safe: &SafeText) {
    for c in safe.as_str().chars() {
        let harmful = (c.is_control() && c != '\n')
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}');
        assert!(!harmful, "{:?} can be drawn", c);
    }
}

/// What the terminal's library reports, three bytes an event: through the filter for replies into a screen, which is
/// drawn at ever other sizes. A reply of the terminal is never typed, a release is no key, and nothing that was
/// pasted is sent.
pub fn keys(data: &[u8]) {
    let mut replies = Replies::default();
    let mut model = Model::new(Options::default());
    let mut now = Duration::ZERO;
    model.update(Message::Resized(80, 24));
    for (number, bytes) in data.chunks_exact(3).take(100).enumerate() {
        let &[kind, what, extra] = bytes else { continue };
        now += Duration::from_millis(u64::from(extra >> 4) * 20);
        let message = match kind % 16 {
            0 => Message::Resized(u16::from(what), u16::from(extra % 64)),
            1 => Message::Focus(what % 2 == 0),
            2 => Message::Tick(now),
            3 => {
                let effects = model.update(Message::Paste(pasted(what, extra)));
                assert!(effects.is_empty(), "a paste has an effect");
                continue;
            }
            _ => {
                let event = event(kind, what, extra);
                let Event::Key(key) = &event else { continue };
                let counted = replies.counts(&event, now);
                let translated = translate(key);
                assert!(key.kind != KeyEventKind::Release || translated.is_none(), "a release is a key");
                match translated.filter(|_| counted) {
                    Some(key) => Message::Key(key),
                    None => continue,
                }
            }
        };
        if model.update(message).contains(&Effect::Exit) {
            break;
        }
        if number % 50 == 49 {
            draw(&model);
        }
    }
    draw(&model);
    reply_is_swallowed(data);
    bytes_are_decoded(data);
    cuts_change_nothing(data);
    cut_reply_is_swallowed(data);
}

/// The same bytes as a terminal sends them, in pieces with pauses: they end in no state that loses what is typed next,
/// what is pasted has no effect, and the screen is drawn.
fn bytes_are_decoded(data: &[u8]) {
    let mut decoder = Decoder::default();
    let mut model = Model::new(Options::default());
    model.update(Message::Resized(80, 24));
    let mut now = Duration::ZERO;
    let mut rest = data;
    while let [cut, after @ ..] = rest {
        let (piece, left) = after.split_at(usize::from(cut % 16).min(after.len()));
        // Within and beyond every time that the decoder waits.
        now += Duration::from_millis([0, 1, 10, 24, 26, 39, 41, 300, 999, 1_001][usize::from(cut / 16) % 10]);
        let mut events = if cut % 2 == 0 { decoder.pause(now) } else { Vec::new() };
        events.extend(decoder.read(piece, now));
        for event in events {
            take(&mut model, &event);
        }
        rest = left;
    }
    draw(&model);
    // A paste without its end is left by Ctrl-C, once what came of it was handed on.
    for ends in [&b""[..], b"\x03"] {
        decoder.read(ends, now);
        for _ in 0..3 {
            now += REST_WAIT;
            decoder.pause(now);
        }
    }
    assert_eq!(decoder.due(), None, "it waits for something");
    assert_eq!(decoder.read(b"a", now), [Event::Key(KeyCode::Char('a').into())], "typing is lost");
}

fn take(model: &mut Model, event: &Event) {
    match event {
        Event::Key(key) => {
            if let Some(key) = translate(key) {
                model.update(Message::Key(key));
            }
        }
        Event::Paste(text) => {
            assert!(text.len() <= 3 * LONGEST_PASTE);
            let effects = model.update(Message::Paste(text.clone()));
            assert!(effects.is_empty(), "a paste has an effect");
        }
        Event::FocusGained | Event::FocusLost => {}
        other => panic!("a terminal's bytes make no {other:?}"),
    }
}

/// However bytes that come together are cut into reads, the events are the same.
fn cuts_change_nothing(data: &[u8]) {
    let (mut whole, mut cut) = (Decoder::default(), Decoder::default());
    let now = Duration::from_secs(1);
    let events = whole.read(data, now);
    let pieces: Vec<Event> = data.iter().flat_map(|byte| cut.read(&[*byte], now)).collect();
    assert_eq!(events, pieces);
    assert_eq!(whole.due(), cut.due());
}

/// A colour that is asked for and answered, with any printable text in it, cut at any place.
fn cut_reply_is_swallowed(data: &[u8]) {
    let at = data.first().map_or(0, |byte| usize::from(*byte));
    let mut reply = b"\x1b]11;".to_vec();
    reply.extend(data.iter().filter(|byte| (0x20..0x7F).contains(*byte)));
    reply.extend_from_slice(if at % 2 == 0 { b"\x07" } else { b"\x1b\\" });
    let (first, second) = reply.split_at(at.max(1).min(reply.len()));
    let mut decoder = Decoder::default();
    assert_eq!(decoder.read(first, Duration::ZERO), [], "it is typed");
    assert_eq!(decoder.read(second, Duration::from_millis(30)), [], "it is typed after a cut");
    assert_eq!(decoder.read(b"a", Duration::from_millis(60)), [Event::Key(KeyCode::Char('a').into())]);
}

fn pasted(what: u8, extra: u8) -> String {
    format!("{}\r\n\u{1b}[201~{}", char::from(what), char::from(extra))
}

fn event(kind: u8, what: u8, extra: u8) -> Event {
    let code = match what {
        0..=31 => match what {
            0..=5 => KeyCode::Enter,
            6..=9 => KeyCode::Esc,
            10 => KeyCode::Tab,
            11 => KeyCode::BackTab,
            12 => KeyCode::Backspace,
            13 => KeyCode::Up,
            14 => KeyCode::Down,
            15 => KeyCode::PageUp,
            16 => KeyCode::PageDown,
            17 => KeyCode::Home,
            18 => KeyCode::End,
            19 => KeyCode::Left,
            20 => KeyCode::Right,
            21 => KeyCode::Delete,
            n => KeyCode::F(n),
        },
        127 => KeyCode::Null,
        other => KeyCode::Char(char::from(other)),
    };
    let modifiers =
        if kind & 0x80 == 0 { KeyModifiers::NONE } else { KeyModifiers::from_bits_truncate(extra & 0x3F) };
    let kind = match extra & 0x03 {
        1 => KeyEventKind::Repeat,
        2 => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    Event::Key(KeyEvent::new_with_kind(code, modifiers, kind))
}

fn draw(model: &Model) {
    let (columns, rows) = model.size;
    let backend = TestBackend::new(columns.min(220), rows.min(60));
    let Ok(mut terminal) = Terminal::new(backend);
    let Ok(_) = terminal.draw(|frame| {
        view::draw(frame, model, Theme::with(false));
    });
}

/// `ESC ]`, the bytes as printable characters, then BEL, as the library reports them: none of it counts.
fn reply_is_swallowed(data: &[u8]) {
    let mut replies = Replies::default();
    let key = |code, modifiers| Event::Key(KeyEvent::new(code, modifiers));
    let now = Duration::from_secs(1);
    assert!(!replies.counts(&key(KeyCode::Char(']'), KeyModifiers::ALT), now));
    for byte in data.iter().take(64).filter(|b| (0x20..0x7F).contains(*b)) {
        assert!(
            !replies.counts(&key(KeyCode::Char(char::from(*byte)), KeyModifiers::NONE), now),
            "it is typed"
        );
    }
    assert!(!replies.counts(&key(KeyCode::Char('g'), KeyModifiers::CONTROL), now));
    assert!(
        replies.counts(&key(KeyCode::Char('a'), KeyModifiers::NONE), now),
        "typing is lost after a reply"
    );
    assert_eq!(translate(&KeyEvent::new(KeyCode::Char('a'), KeyModifiers::NONE)), Some(Key::Char('a')));
}
