//! What is escaped, cut, grouped or listed is found all the same, whole or in pieces.

use std::borrow::Cow;

use data_encoding::{BASE64, BASE64URL, HEXLOWER};
use proptest::prelude::*;
use serde_json::json;
use zeroize::Zeroizing;

use super::{ImageBytes, Piece, Scrubber, TagUid, Token};

const UID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];
const TOKEN: &str = "sk+3nT7q/9Zx0aL-mB2==";

fn knowing_all() -> Scrubber {
    let mut scrubber = Scrubber::new();
    scrubber.add_token(&Token::new(TOKEN));
    scrubber.add_uid(&TagUid::new(&UID));
    scrubber.add_image(&ImageBytes::new(picture()));
    scrubber
}

fn picture() -> Vec<u8> {
    (0..3000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Each character written in this way.
fn each(text: &str, spelt: impl Fn(char) -> String) -> String {
    text.chars().map(spelt).collect()
}

fn escapes(text: &str) -> Vec<String> {
    let percent =
        |c: char| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("%{:02X}", c as u32) };
    let all_percent = each(text, |c| format!("%{:02x}", c as u32));
    vec![
        each(text, percent),
        all_percent.clone(),
        all_percent.replace('%', "%25"),
        all_percent.replace('%', "%2525"),
        each(text, |c| format!("\\u{:04x}", c as u32)),
        each(text, |c| format!("\\\\u{:04X}", c as u32)),
        each(text, |c| format!("\\u{{{:x}}}", c as u32)),
        each(text, |c| format!("\\x{:02x}", c as u32)),
        each(text, |c| format!("&#{};", c as u32)),
        each(text, |c| format!("&#x{:X};", c as u32)),
        text.replace('/', "\\/"),
        each(text, |c| format!("{c}\u{200b}")),
        each(text, |c| format!("{c}\r\n")),
    ]
}

/// Everything that the agent may write for the token or the id.
fn echoes() -> Vec<String> {
    let base64 = |text: &str| BASE64.encode(text.as_bytes());
    let mut all = escapes(TOKEN);
    all.extend(escapes("04:A1:B2:C3:D4:E5:F6"));
    all.extend([TOKEN.to_uppercase(), TOKEN.to_lowercase(), format!("{:?}", TOKEN.as_bytes())]);
    all.extend(escapes(&base64(TOKEN)));
    all
}

#[test]
fn escaped_secrets_are_replaced_whole() {
    let scrubber = knowing_all();
    for echo in echoes() {
        let scrubbed = scrubber.scrub(&format!("({echo})")).into_owned();
        let rest = scrubbed.replace("[scrubbed: token]", "").replace("[scrubbed: tag id]", "");
        let rest = rest.replace(['(', ')', '[', ']', '\u{200b}', '\r', '\n'], "");
        assert!(rest.len() <= 6, "{echo}: {scrubbed}");
    }
}

#[test]
fn a_token_inside_a_longer_text_in_base64_is_replaced_but_for_its_edges() {
    for before in ["Bearer ", "u:", "user:", ""] {
        for after in ["", "!", " and more"] {
            let whole = format!("{before}{TOKEN}{after}");
            for encoded in [BASE64.encode(whole.as_bytes()), BASE64URL.encode(whole.as_bytes())] {
                let shown = knowing_all().scrub(&encoded).into_owned();
                assert!(shown.contains("[scrubbed: token]"), "{whole}: {shown}");
                let left = encoded.len() - BASE64.encode(TOKEN.as_bytes()).len();
                assert!(shown.len() <= "[scrubbed: token]".len() + left + 8, "{whole}: {shown}");
            }
        }
    }
}

#[test]
fn an_image_is_found_as_numbers_and_in_escaped_or_cut_base64() {
    let (scrubber, picture) = (knowing_all(), picture());
    let base64 = BASE64.encode(&picture);
    let list = |spelt: &dyn Fn(u8) -> String, mark: &str| {
        picture.iter().map(|byte| spelt(*byte)).collect::<Vec<_>>().join(mark)
    };
    for echo in [
        format!("{picture:?}"),
        format!("{picture:#?}"),
        list(&|byte| byte.cast_signed().to_string(), ", "),
        list(&|byte| format!("0x{byte:02X}"), ", "),
        list(&|byte| format!("{byte:#x}"), ","),
        list(&|byte| format!("\\x{byte:02x}"), ""),
        list(&|byte| format!("%{byte:02X}"), ""),
        list(&|byte| format!("{byte:02x}"), "-"),
        list(&|byte| format!("{byte:02x}"), "_"),
        base64.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D"),
        base64.replace('/', "\\/"),
        each(&base64, |c| format!("{c}\u{200b}")),
        base64
            .as_bytes()
            .chunks(20)
            .map(|l| std::str::from_utf8(l).unwrap())
            .collect::<Vec<_>>()
            .join("\n  "),
        HEXLOWER.encode(&picture),
    ] {
        let shown = scrubber.scrub(&echo).into_owned();
        assert!(shown.contains("[scrubbed: image data]") && shown.len() < 120, "{}: {shown}", &echo[..40]);
    }
}

/// Found by fuzzing: the digit of the base64 made the last number of the list another one, until it was gone.
#[test]
fn two_spellings_glued_together_leave_nothing_of_either() {
    let scrubber = knowing_all();
    let numbers = "246,229,212,195,178,161,4";
    for base64 in ["9uXUw7KhBA==", "9uXUw7Kh\n\n\nBA", "9uXUw7Kh\n\n\n\n\nB\n\n\\\n\nu"] {
        let text = format!("w.,{{parsin\n\n\n{numbers}{base64}");
        let once = scrubber.scrub(&text).into_owned();
        assert!(!once.contains(numbers), "{text:?}: {once:?}");
        assert_eq!(scrubber.scrub(&once), once);
    }
}

#[test]
fn ordinary_text_with_escapes_numbers_and_lines_stays() {
    let scrubber = knowing_all();
    let numbers = (0..400).map(|n| (n % 256).to_string()).collect::<Vec<_>>().join(", ");
    for text in
        ["50 % of %41 and C:\\users\\x41", "&#65; and &amp; \n\r\n", "\\u0041 é %e9", numbers.as_str()]
    {
        assert!(matches!(scrubber.scrub(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn pieces_in_a_list_or_a_numbered_object_are_found() {
    let scrubber = knowing_all();
    let numbered: serde_json::Map<_, _> =
        UID.iter().enumerate().map(|(place, byte)| (place.to_string(), json!(byte))).collect();
    let image: serde_json::Map<_, _> =
        picture().iter().enumerate().map(|(place, byte)| (place.to_string(), json!(byte))).collect();
    for value in [
        json!(["04", "A1", "B2", "C3", "D4", "E5", "F6"]),
        json!([&TOKEN[..5], &TOKEN[5..9], &TOKEN[9..]]),
        json!(TOKEN.split("").collect::<Vec<_>>()),
        json!(TOKEN.as_bytes()),
        json!(numbered),
        json!(image),
        json!(picture()),
    ] {
        let shown = scrubber.scrub_value(json!({ "a": value })).to_string();
        assert!(shown.contains("[scrubbed: ") && shown.len() < 60, "{shown}");
    }
    let kept = json!({ "list": ["04", "A1"], "0": 4, "1": 161, "each": [TOKEN, "b"] });
    let shown = scrubber.scrub_value(kept);
    assert_eq!(shown, json!({ "list": ["04", "A1"], "0": 4, "1": 161, "each": ["[scrubbed: token]", "b"] }));
}

fn streamed(scrubber: &Scrubber, pieces: &[&str]) -> String {
    let mut kept_back = Zeroizing::default();
    let mut shown: String = pieces.iter().map(|piece| scrubber.stream(&mut kept_back, piece).text).collect();
    shown.push_str(&scrubber.scrub(&kept_back));
    shown
}

#[test]
fn what_is_kept_back_is_bounded() {
    let (scrubber, mut kept_back) = (knowing_all(), Zeroizing::default());
    let piece = format!("{}{}", &TOKEN[..8], "\u{200b}".repeat(5_000));
    let shown: usize = (0..8).map(|_| scrubber.stream(&mut kept_back, &piece).text.len()).sum();
    assert!(kept_back.len() <= 16 * 1024 + 4, "{}", kept_back.len());
    assert_eq!(shown + kept_back.len(), piece.len() * 8);
}

proptest! {
    /// However it is escaped and cut, what comes in pieces is hidden as it is hidden whole.
    #[test]
    fn an_escaped_secret_in_pieces_is_hidden_however_it_is_cut(
        which in 0_usize..42, places in prop::collection::vec(any::<prop::sample::Index>(), 0..12), letters in any::<bool>(),
    ) {
        let scrubber = knowing_all();
        let echoes = echoes();
        let text = format!("Look: {} - so.", echoes[which % echoes.len()]);
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut cuts: Vec<usize> = if letters { ends.clone() } else { places.iter().map(|at| ends[at.index(ends.len())]).collect() };
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(streamed(&scrubber, &pieces), scrubber.scrub(&text).into_owned());
    }

    #[test]
    fn no_text_with_escapes_is_cut_wrongly(text in "[%&#;x0-9a-fu{}\\\\\u{200b}\n é]{0,60}") {
        let scrubber = knowing_all();
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let pieces: Vec<&str> = letters.iter().map(String::as_str).collect();
        prop_assert_eq!(streamed(&scrubber, &pieces), scrubber.scrub(&text).into_owned());
    }

    #[test]
    fn a_line_in_which_nothing_is_found_holds_nothing_in_its_texts(
        echo in prop::sample::select(echoes()),
        (from, to) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        around in "[ a-f0-9,:;.%-]{0,6}",
        second in "[ a-f0-9,:;.%-]{0,6}",
        sequence in 0..300_u64,
    ) {
        let scrubber = knowing_all();
        let chars: Vec<char> = echo.chars().collect();
        let (from, to) = (from.index(chars.len() + 1), to.index(chars.len() + 1));
        let piece: String = chars[from.min(to)..from.max(to)].iter().collect();
        let frame = json!({"sequence": sequence, "event": {"type": "interaction.resolved",
            "interactionId": format!("{around}{piece}{second}"), "outcome": format!("{second}{echo}"), "text": around}});
        for frame in [frame.clone(), json!({"a": frame["event"]["interactionId"]}), json!({"b": around})] {
            let line = frame.to_string();
            if !line.contains('\\') && matches!(scrubber.scrub(&line), Cow::Borrowed(_)) {
                prop_assert_eq!(scrubber.scrub_value(frame.clone()), frame);
            }
        }
    }
}

/// A token as people have them: hexadecimal, base64 with its dots, words with marks.
fn any_token() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9a-f]{24}",
        "eyJ[A-Za-z0-9_-]{14}\\.[A-Za-z0-9_-]{12}",
        "[a-z0-9]{3,6}-[A-Z]{4,8}\\.[a-z]{2}[0-9]{4}~[a-z]{1,3}"
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Whatever its last character begins, too: a whole secret at the end of a frame is one, and no beginning.
    #[test]
    fn a_whole_escaped_token_at_the_end_of_a_frame_is_hidden(
        token in any_token(), style in any::<prop::sample::Index>(), before in "[ .,:()]{0,6}", cut in 0_usize..3,
    ) {
        let mut scrubber = Scrubber::new();
        scrubber.add_token(&Token::new(&token));
        let spelt = escapes(&token);
        let spelt = style.get(&spelt);
        let text = format!("{before}{spelt}");
        // Whole, and with an end that is still to come.
        let text: String = text.chars().take(text.chars().count() - cut).collect();
        let Piece { text: piece, alone } = scrubber.stream(&mut Zeroizing::default(), &text);
        for shown in [piece, alone.unwrap_or_else(|| scrubber.scrub(&text).into_owned())] {
            let kept = spelt.chars().count() / 2;
            let start: String = spelt.chars().take(kept).collect();
            prop_assert!(!shown.contains(&start), "{:?} of {:?}", shown, text);
        }
    }
}
