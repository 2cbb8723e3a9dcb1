//! What a terminal must never receive, and what must come through untouched.

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::SafeText;
use super::clean::{is_hidden, is_mark};

fn line(text: &str) -> String {
    SafeText::line(text).to_string()
}

fn block(text: &str) -> String {
    SafeText::block(text).to_string()
}

#[test]
fn terminal_commands_become_visible_marks() {
    let cases = [
        // clipboard, hyperlink, cursor report, reset, colour, title left open (cases G4)
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b]8;;http://x\x1b\\here", "␛]8;;http://x␛\\here"),
        ("\x1b[6n", "␛[6n"),
        ("\x1bc", "␛c"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;never ended", "␛]0;never ended"),
        ("\u{9B}31m", "⟨U+009B⟩31m"),
        ("\u{9D}52;c;aGk=\u{9C}", "⟨U+009D⟩52;c;aGk=⟨U+009C⟩"),
        ("\u{90}q\u{85}", "⟨U+0090⟩q⟨U+0085⟩"),
        ("\x00\x08\x0e\x7f", "␀␈␎␡"),
    ];
    for (text, drawn) in cases {
        assert_eq!((line(text).as_str(), block(text).as_str()), (drawn, drawn));
    }
}

#[test]
fn hidden_characters_become_visible_marks() {
    let cases = [
        ("user\u{202E}gpj.exe", "user⟨U+202E⟩gpj.exe"),
        ("a\u{2066}b\u{2069}c\u{200E}\u{61C}", "a⟨U+2066⟩b⟨U+2069⟩c⟨U+200E⟩⟨U+061C⟩"),
        ("pass\u{200B}word\u{FEFF}", "pass⟨U+200B⟩word⟨U+FEFF⟩"),
        ("soft\u{AD}hyphen", "soft⟨U+00AD⟩hyphen"),
        ("\u{3164}\u{115F}\u{34F}\u{2060}", "⟨U+3164⟩⟨U+115F⟩⟨U+034F⟩⟨U+2060⟩"),
        ("a\u{2028}b\u{2029}c", "a⟨U+2028⟩b⟨U+2029⟩c"),
        ("\u{E0041}\u{E0001}", "⟨U+E0041⟩⟨U+E0001⟩"),
        ("\u{E000}\u{10FFFD}", "⟨U+E000⟩⟨U+10FFFD⟩"),
        ("\u{FFFF}\u{FDD0}\u{0378}", "⟨U+FFFF⟩⟨U+FDD0⟩⟨U+0378⟩"),
        ("a\u{FE00}b\u{E0100}", "a⟨U+FE00⟩b⟨U+E0100⟩"),
    ];
    for (text, drawn) in cases {
        assert_eq!(line(text), drawn);
    }
}

#[test]
fn breaks_and_tabs_are_neither_dropped_nor_obeyed() {
    assert_eq!(line("a\tb\r\nc\nd\re"), "a b⏎c⏎d␍e");
    assert_eq!(block("a\tb\r\nc\nd\re"), "a    b\nc\nd␍e");
    assert_eq!(block("\u{B}\u{C}"), "␋␌");
}

#[test]
fn emoji_keep_their_joiners_and_selectors() {
    for whole in ["👩🏽‍🚀", "👨‍👩‍👧‍👦", "👩🏻‍❤️‍💋‍👨🏻", "🏳️‍🌈", "❤️", "☎︎", "1️⃣", "©️", "🇩🇪", "👋🏿"]
    {
        assert_eq!(line(whole), whole);
    }
}

#[test]
fn joiners_and_selectors_elsewhere_are_marked() {
    assert_eq!(line("a\u{200D}b"), "a⟨U+200D⟩b");
    assert_eq!(line("👩\u{200D}"), "👩⟨U+200D⟩");
    assert_eq!(line("👩\u{200D}x"), "👩⟨U+200D⟩x");
    assert_eq!(line("\u{200D}👩"), "⟨U+200D⟩👩");
    assert_eq!(line("a\u{FE0F}"), "a⟨U+FE0F⟩");
    assert_eq!(line("❤\u{FE0F}\u{FE0F}"), "❤\u{FE0F}⟨U+FE0F⟩");
}

#[test]
fn an_emoji_cannot_be_joined_without_end() {
    let chain = ["👩"; 50].join("\u{200D}");
    let longest = line(&chain).graphemes(true).map(|g| g.chars().count()).max();
    assert_eq!(longest, Some(9));
}

#[test]
fn towers_of_marks_are_bounded_and_counted() {
    assert_eq!(line(&format!("z{}y", "\u{301}".repeat(100))), "z\u{301}\u{301}\u{301}\u{301}⟨+96⟩y");
    assert_eq!(line(&"\u{1161}".repeat(6)), format!("{}⟨+2⟩", "\u{1161}".repeat(4)));
    let mut streamed = SafeText::block("z\u{301}\u{301}\u{301}");
    streamed.push(&SafeText::block("\u{301}\u{301}\u{301}y"));
    assert_eq!(streamed.as_str(), "z\u{301}\u{301}\u{301}\u{301}⟨+2⟩y");
}

#[test]
fn languages_come_through_unchanged() {
    for text in [
        "Grüße, Žluťoučký kůň",
        "e\u{301}te\u{301}",
        "नमस्ते",
        "สวัสดีครับ",
        "שָׁלוֹם",
        "مرحبا",
        "你好，世界",
        "한국어",
        "Tiếng Việt",
    ] {
        assert_eq!(line(text), text);
    }
}

#[test]
fn streaming_joins_a_mark_to_its_base() {
    let mut text = SafeText::block("cafe");
    text.push(&SafeText::block("\u{301}\nnext"));
    assert_eq!(text.as_str(), "cafe\u{301}\nnext");
}

#[test]
fn a_cut_keeps_whole_clusters_and_says_so() {
    let text = SafeText::line("ab👩🏽‍🚀cd");
    let cuts: Vec<String> = [0, 1, 2, 3, 6, 7, 8, 9].map(|n| text.cut(n).to_string()).to_vec();
    assert_eq!(cuts, ["", "…", "a…", "ab…", "ab…", "ab👩🏽‍🚀…", "ab👩🏽‍🚀cd", "ab👩🏽‍🚀cd"]);
}

#[test]
fn width_counts_columns_of_the_widest_line() {
    assert_eq!(SafeText::line("").width(), 0);
    assert_eq!(SafeText::line("你好 e\u{301}").width(), 6);
    assert_eq!(SafeText::block("ab\n你好\nc").width(), 4);
}

/// Text that is likely to hold what must be caught.
fn hostile() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "\x1b[",
        "\x1b]52;c;",
        "\x07",
        "\u{9B}",
        "\u{9D}",
        "\u{202E}",
        "\u{200B}",
        "\u{200D}",
        "\u{FE0F}",
        "\u{301}\u{301}\u{301}",
        "\u{E0041}",
        "\u{E000}",
        "\r\n",
        "\r",
        "\n",
        "\t",
        "\u{2028}",
        "👩",
        "❤",
        "🏽",
        "1",
        "\u{20E3}",
        "\u{1161}",
        "⟨U+202E⟩",
        "…",
        "a",
    ]);
    let piece = prop_oneof![3 => nasty.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Whether every hidden character in `text` stands inside an emoji and no character is overloaded.
fn drawable(text: &str, breaks: bool) -> bool {
    let mut marks = 0;
    text.char_indices().all(|(i, c)| {
        let before = text[..i].chars().next_back();
        let after = text[i + c.len_utf8()..].chars().next();
        let hidden_allowed = match c {
            '\n' => breaks,
            '\u{200D}' => {
                before.is_some_and(|b| !b.is_ascii()) && after.is_some_and(|a| !a.is_alphanumeric())
            }
            '\u{FE0E}' | '\u{FE0F}' => before.is_some_and(|b| !b.is_alphabetic()),
            _ => false,
        };
        if is_hidden(c) {
            marks = if c == '\n' { 0 } else { marks };
            return hidden_allowed;
        }
        marks = if is_mark(c) { marks + 1 } else { 0 };
        marks <= 4
    })
}

proptest! {
    #[test]
    fn nothing_unsafe_is_left(text in hostile()) {
        let (line, block) = (line(&text), block(&text));
        prop_assert!(drawable(&line, false), "{line:?}");
        prop_assert!(drawable(&block, true), "{block:?}");
        prop_assert!(!line.contains(char::is_control));
        prop_assert!(!block.contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in hostile()) {
        prop_assert_eq!(line(&line(&text)), line(&text));
        prop_assert_eq!(block(&block(&text)), block(&text));
    }

    #[test]
    fn printable_text_is_unchanged(text in "[ -~äöüßéčž你好мир€→█⟨⟩]{0,80}") {
        prop_assert_eq!(line(&text), text);
    }

    #[test]
    fn growth_is_bounded(text in hostile()) {
        prop_assert!(line(&text).len() <= 6 * text.len());
        prop_assert!(block(&text).len() <= 6 * text.len());
    }

    #[test]
    fn streamed_text_is_as_safe_as_whole_text(pieces in prop::collection::vec(hostile(), 0..6)) {
        let mut streamed = SafeText::default();
        for piece in &pieces {
            streamed.push(&SafeText::block(piece));
        }
        prop_assert!(drawable(streamed.as_str(), true));
        prop_assert_eq!(SafeText::block(streamed.as_str()), streamed);
    }

    #[test]
    fn a_cut_is_within_its_length_and_a_prefix(text in hostile(), max in 0_usize..60) {
        let whole = SafeText::block(&text);
        let cut = whole.cut(max);
        prop_assert!(cut.as_str().chars().count() <= max);
        prop_assert!(cut == whole || whole.as_str().starts_with(cut.as_str().trim_end_matches('…')));
    }
}

#[test]
fn a_skin_tone_that_comes_in_the_next_piece_dresses_the_emoji_before_it() {
    let mut streamed = SafeText::block("👩");
    streamed.push(&SafeText::block("🏽\u{fe0f}"));
    assert_eq!(streamed, SafeText::block(streamed.as_str()));
    assert_eq!(streamed.as_str(), "👩🏽⟨U+FE0F⟩");
}
