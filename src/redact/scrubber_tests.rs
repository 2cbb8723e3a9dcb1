//! No spelling of a known value survives; ordinary text does.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use proptest::prelude::*;
use serde_json::json;

use super::{ImageBytes, Scrubber, TagUid, Token};

const UID: [u8; 7] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6];

fn knowing_uid(bytes: &[u8]) -> Scrubber {
    let mut scrubber = Scrubber::new();
    scrubber.add_uid(&TagUid::new(bytes));
    scrubber
}

fn knowing_token(token: &str) -> Scrubber {
    let mut scrubber = Scrubber::new();
    scrubber.add_token(&Token::new(token));
    scrubber
}

/// Every way in which an id is commonly written.
fn spellings(uid: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    let backward: Vec<u8> = uid.iter().rev().copied().collect();
    for bytes in [uid, &backward] {
        for encoding in [&HEXLOWER, &HEXUPPER] {
            let pairs: Vec<String> = bytes.iter().map(|byte| encoding.encode(&[*byte])).collect();
            all.extend(["", ":", "-", " ", ", ", "."].map(|separator| pairs.join(separator)));
            all.push(pairs.iter().map(|pair| format!("\\x{pair}")).collect());
            all.push(format!("0x{}", pairs.join(", 0x")));
        }
        all.extend([&BASE64, &BASE64_NOPAD, &BASE64URL, &BASE64URL_NOPAD].map(|e| e.encode(bytes)));
        all.push(format!("{bytes:?}"));
        if bytes.len() <= 8 {
            let number = bytes.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte)).to_string();
            all.extend((number.len() >= 6).then_some(number));
        }
    }
    all
}

#[test]
fn each_spelling_of_a_tag_id_is_replaced() {
    let scrubber = knowing_uid(&UID);
    for spelling in spellings(&UID) {
        let scrubbed = scrubber.scrub(&format!("I saw ({spelling}).")).into_owned();
        let rest = scrubbed.replace("[scrubbed: tag id]", "");
        assert!(
            ["I saw ().", "I saw (0x).", "I saw ([]).", "I saw (\\x)."].contains(&rest.as_str()),
            "{spelling}: {scrubbed}"
        );
    }
}

#[test]
fn an_id_inside_an_answer_of_the_reader_is_replaced() {
    assert_eq!(knowing_uid(&UID).scrub("apdu 04A1B2C3D4E5F69000 ok"), "apdu [scrubbed: tag id]9000 ok");
    assert_eq!(knowing_uid(&UID).scrub("a04a1b2c3d4e5f6"), "a[scrubbed: tag id]");
}

#[test]
fn an_id_that_ends_in_zero_before_the_x_of_a_mirrored_counter_is_replaced() {
    let scrubber = knowing_uid(&[0x04, 0xA1, 0xB2, 0xC0]);
    assert_eq!(scrubber.scrub("?id=04A1B2C0x12002A"), "?id=[scrubbed: tag id]x12002A");
    // The zero is a digit of the id in one reading, a prefix in the other.
    assert_eq!(scrubber.scrub("?id=04A1B2C0x00002A"), "?id=[scrubbed: tag id]0002A");
    assert_eq!(scrubber.scrub("0x04, 0xA1, 0xB2, 0xC0"), "0x[scrubbed: tag id]");
}

#[test]
fn spellings_of_one_byte_and_spellings_that_begin_alike_are_all_found() {
    let mut scrubber = knowing_token("7");
    scrubber.add_token(&Token::new("open"));
    scrubber.add_token(&Token::new("opening"));
    scrubber.add_token(&Token::new("openings-of-4"));
    let shown = scrubber.scrub("7, 77, openings, openings-of-4, ope").into_owned();
    assert_eq!(shown, "[scrubbed: token], 77, [scrubbed: token]s, [scrubbed: token], ope");
}

#[test]
fn ordinary_text_is_borrowed_unchanged() {
    let mut scrubber = knowing_uid(&[0, 0, 1, 2]);
    scrubber.add_token(&Token::new("abc"));
    for text in ["258 parts of 16908288x", "the abcess and 0 0 1", "", "id 04:A1", "2026-12-02T08:29:25Z"] {
        assert!(matches!(scrubber.scrub(text), std::borrow::Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn a_token_is_replaced_as_it_is_and_encoded() {
    let scrubber = knowing_token("s3cret-Tøken=");
    for spelling in [
        "s3cret-Tøken=".to_owned(),
        BASE64.encode("s3cret-Tøken=".as_bytes()),
        HEXUPPER.encode("s3cret-Tøken=".as_bytes()),
    ] {
        assert_eq!(scrubber.scrub(&format!("Bearer {spelling}!")), "Bearer [scrubbed: token]!");
    }
}

#[test]
fn a_short_token_is_replaced_only_as_a_word() {
    assert_eq!(
        knowing_token("abc").scrub("abc, abcd, (abc)"),
        "[scrubbed: token], abcd, ([scrubbed: token])"
    );
}

/// A short token that fills the largest frame, word by word and letter by letter: each look is one pass over it.
#[test]
fn the_largest_frame_full_of_a_short_token_is_scrubbed_soon() {
    let scrubber = knowing_token("abc");
    for text in ["abc ".repeat(32 * 1024), "abc".repeat(43 * 1024), "abcd ".repeat(26 * 1024)] {
        let begun = std::time::Instant::now();
        let shown = scrubber.scrub(&text);
        // A pass takes milliseconds; going through all that was found for each word took minutes.
        assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
        assert!(!text.starts_with("abc ") || !shown.contains("abc "));
    }
}

fn picture() -> Vec<u8> {
    (0..3000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn knowing_picture(bytes: Vec<u8>) -> Scrubber {
    let mut scrubber = Scrubber::new();
    scrubber.add_image(&ImageBytes::new(bytes));
    scrubber
}

#[test]
fn an_echoed_image_is_replaced_whole() {
    let scrubber = knowing_picture(picture());
    for encoding in [&BASE64, &BASE64URL, &BASE64_NOPAD] {
        let text = format!("data:image/jpeg;base64,{}\"", encoding.encode(&picture()));
        assert_eq!(scrubber.scrub(&text), "data:image/jpeg;base64,[scrubbed: image data]\"");
    }
}

#[test]
fn an_image_is_found_in_hexadecimal_and_across_marks() {
    let scrubber = knowing_picture(picture());
    let grouped = |text: &str, size: usize, mark: &str| {
        text.as_bytes().chunks(size).map(|c| std::str::from_utf8(c).unwrap()).collect::<Vec<_>>().join(mark)
    };
    let (base64, hex) = (BASE64_NOPAD.encode(&picture()), data_encoding::HEXLOWER.encode(&picture()));
    for echo in [
        hex.clone(),
        hex.to_uppercase(),
        grouped(&hex, 2, ":"),
        grouped(&hex, 4, " "),
        grouped(&base64, 4, " "),
        grouped(&base64, 76, "\r\n"),
        grouped(&base64, 1, ", "),
    ] {
        let shown = scrubber.scrub(&echo);
        let left = shown.replace("[scrubbed: image data]", "");
        assert!(left.trim().is_empty(), "{}: {left}", &echo[..60]);
    }
    for kept in
        ["0".repeat(64), "Words of prose, one after another, are no image: not even in a row of many.".into()]
    {
        assert_eq!(scrubber.scrub(&kept), kept);
    }
}

#[test]
fn an_image_of_one_colour_is_replaced_too() {
    let encoded = BASE64.encode(&[0; 9000]);
    let scrubbed = knowing_picture(vec![0; 9000]).scrub(&format!("({encoded})")).into_owned();
    assert!(scrubbed.starts_with("([scrubbed: image data]") && scrubbed.len() < 100, "{scrubbed}");
}

#[test]
fn forgetting_is_by_kind() {
    let mut scrubber = knowing_token("tokentoken");
    scrubber.add_uid(&TagUid::new(&UID));
    scrubber.add_image(&ImageBytes::new(picture()));
    assert_eq!(format!("{scrubber:?}"), "[scrubber: 1 tokens, 1 tag ids, 1 images]");
    let image = BASE64.encode(&picture());
    scrubber.forget_images();
    assert_eq!(scrubber.scrub(&image), image);
    assert_eq!(scrubber.scrub("04a1b2c3d4e5f6"), "[scrubbed: tag id]");
    scrubber.clear_session();
    assert_eq!(scrubber.scrub("04a1b2c3d4e5f6 tokentoken"), "04a1b2c3d4e5f6 [scrubbed: token]");
}

#[test]
fn json_is_scrubbed_in_keys_strings_numbers_and_lists() {
    let scrubber = knowing_uid(&UID);
    let escaped = r#"{"04a1b2c3d4e5f6":1,"04:A1:B2:C3:D4:E5:F6":[true,"\u0030\u0034A1B2C3D4E5F6"],"n":1304124505580022,"list":[4,161,178,195,212,229,246],"kept":[1,2.5,"x"]}"#;
    let number = UID.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte)).to_string();
    let value = serde_json::from_str(&escaped.replace("1304124505580022", &number)).unwrap();
    assert_eq!(
        scrubber.scrub_value(value),
        json!({
            "[scrubbed: tag id]": 1,
            "[scrubbed: tag id] 2": [true, "[scrubbed: tag id]"],
            "n": "[scrubbed: tag id]",
            "list": "[scrubbed: tag id]",
            "kept": [1, 2.5, "x"],
        })
    );
}

fn uid() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![4_usize, 7, 8, 10]).prop_flat_map(|n| prop::collection::vec(any::<u8>(), n))
}

proptest! {
    #[test]
    fn no_spelling_of_an_id_survives(id in uid(), before in "[ -~]{0,20}", after in "[ -~]{0,20}") {
        let scrubber = knowing_uid(&id);
        for spelling in spellings(&id) {
            let text = format!("{before}<{spelling}>{after}");
            prop_assert!(!scrubber.scrub(&text).contains(&spelling), "{}", text);
        }
    }

    #[test]
    fn no_run_of_64_characters_of_an_image_survives(
        image in prop::collection::vec(any::<u8>(), 100..2000), at in any::<prop::sample::Index>(), more in 0_usize..200,
        before in "[A-Za-z0-9+/]{0,40}",
    ) {
        let encoded = BASE64_NOPAD.encode(&image);
        let from = at.index(encoded.len() - 63);
        let run = &encoded[from..(from + 64 + more).min(encoded.len())];
        let scrubbed = knowing_picture(image).scrub(&format!("{before}{run} end")).into_owned();
        let left = scrubbed.strip_prefix(before.as_str()).unwrap_or("");
        prop_assert!(scrubbed.contains("[scrubbed: image data]"));
        prop_assert!(!run.as_bytes().windows(32).any(|w| left.as_bytes().windows(32).any(|l| l == w)));
    }

    #[test]
    fn scrubbing_twice_changes_nothing(id in uid(), text in "\\PC{0,60}") {
        let mut scrubber = knowing_uid(&id);
        scrubber.add_token(&Token::new("sesame-open"));
        let text = format!("{text}{}sesame-open", HEXLOWER.encode(&id));
        let once = scrubber.scrub(&text).into_owned();
        prop_assert_eq!(scrubber.scrub(&once), once.as_str());
    }
}

/// Found by fuzzing: what stood glued to another spelling became a word only once that was taken out.
#[test]
fn spellings_glued_to_each_other_all_go() {
    let mut scrubber = Scrubber::new();
    scrubber.add_uid(&TagUid::new(&[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6]));
    for glued in ["04a1b2c3d4e5f6246,229,212,195,178,161,4", "4,161,178,195,212,229,24604A1B2C3D4E5F6"] {
        let clean = scrubber.scrub(glued).into_owned();
        assert!(!clean.contains("161"), "{clean}");
        assert_eq!(scrubber.scrub(&clean), clean);
    }
}

/// What a face shows of a text that came in these pieces.
fn streamed(scrubber: &Scrubber, pieces: &[&str]) -> String {
    let mut kept_back = zeroize::Zeroizing::default();
    let mut shown: String = pieces.iter().map(|piece| scrubber.stream(&mut kept_back, piece).text).collect();
    shown.push_str(&scrubber.scrub(&kept_back));
    shown
}

/// `text` cut at these places.
fn cut<'a>(text: &'a str, places: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<usize> = places.iter().map(|at| at % (text.len() + 1)).collect();
    places.retain(|at| text.is_char_boundary(*at));
    places.extend([0, text.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn a_secret_in_pieces_is_hidden_however_it_is_cut(
        before in "[ -~é]{0,20}", after in "[ -~é]{0,20}",
        which in 0_usize..6, places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let token = "sk-3nT7q9Zx0aLmB2";
        let mut scrubber = knowing_uid(&UID);
        scrubber.add_token(&Token::new(token));
        let secret = [
            token.to_owned(),
            BASE64.encode(token.as_bytes()),
            HEXUPPER.encode(&UID),
            "04:a1:b2:c3:d4:e5:f6".to_owned(),
            "0x04, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6".to_owned(),
            BASE64URL_NOPAD.encode(&UID),
        ][which].clone();
        let text = format!("{before}|{secret}|{after}");
        let shown = streamed(&scrubber, &cut(&text, &places));
        prop_assert!(!shown.contains(&secret), "{shown}");
        prop_assert!(shown.contains("[scrubbed: t"), "{shown}");
        let letters: Vec<&str> = text.split("").collect();
        let shown = streamed(&scrubber, &letters);
        prop_assert!(!shown.contains(&secret) && shown.contains("[scrubbed: t"), "letter by letter: {shown}");
    }

    #[test]
    fn a_text_without_secrets_comes_out_as_it_went_in(
        text in "[ -~é\n]{0,120}", places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let mut scrubber = knowing_uid(&UID);
        scrubber.add_token(&Token::new("sk-3nT7q9Zx0aLmB2"));
        scrubber.add_image(&ImageBytes::new((0..4_000_u32).map(|n| (n * 31 % 251) as u8).collect()));
        prop_assert_eq!(streamed(&scrubber, &cut(&text, &places)), text);
    }
}

#[test]
fn an_image_in_small_pieces_is_hidden_but_for_its_edges() {
    let bytes: Vec<u8> = (0..4_000_u32).map(|n| (n * n % 251) as u8).collect();
    let mut scrubber = Scrubber::new();
    scrubber.add_image(&ImageBytes::new(bytes.clone()));
    let base64 = BASE64.encode(&bytes);
    for size in [1, 7, 30, 63, 500] {
        let pieces: Vec<&str> =
            (0..base64.len()).step_by(size).map(|at| &base64[at..(at + size).min(base64.len())]).collect();
        let shown = streamed(&scrubber, &pieces);
        let left = shown.replace("[scrubbed: image data]", " ");
        let longest = left.split(' ').map(str::len).max().unwrap_or(0);
        assert!(longest < 64, "{size}: {longest} characters of the image are shown");
    }
}

/// Texts as frames show them that come one after another.
fn frames(scrubber: &Scrubber, pieces: &[&str]) -> Vec<String> {
    let mut kept_back = zeroize::Zeroizing::default();
    let shown = |piece: &&str| {
        scrubber.stream(&mut kept_back, piece).alone.unwrap_or_else(|| scrubber.scrub(piece).into_owned())
    };
    pieces.iter().map(shown).collect()
}

#[test]
fn single_frames_show_five_characters_of_a_secret_in_pieces_at_most() {
    let mut scrubber = knowing_token("tok-4f1c9a7e2b");
    scrubber.add_uid(&TagUid::new(&UID));
    let begun = "[scrubbed: beginning of a secret]";
    for (pieces, shown) in [
        (
            vec!["I got tok-", "4f1c", "9a7e", "2b, you see"],
            vec!["I got tok-", begun, begun, "[scrubbed: token], you see"],
        ),
        (vec!["I got tok-4f1c9", "a7e2b."], vec![&*format!("I got {begun}"), "[scrubbed: token]."]),
        (vec!["04:", "A1:B2", ":C3:D4:E5", ":F6"], vec!["04:", begun, begun, "[scrubbed: tag id]"]),
        (vec!["tok-", "4f1c", " is what it begins with"], vec!["tok-", begun, " is what it begins with"]),
        (vec!["a to", "k of to", "ken ring"], vec!["a to", "k of to", "ken ring"]),
        (vec!["tok-4f1c9a7e2b tok-", "4f1c9a7e2b"], vec!["[scrubbed: token] tok-", "[scrubbed: token]"]),
    ] {
        assert_eq!(frames(&scrubber, &pieces), shown, "{pieces:?}");
    }
}

/// What a secret ends with may be what it begins with.
#[test]
fn a_whole_secret_that_ends_as_it_begins_is_no_beginning() {
    let token = "secret-1234-secret";
    let scrubber = knowing_token(token);
    assert_eq!(
        frames(&scrubber, &[token, &format!("it is {token}")]),
        ["[scrubbed: token]", "it is [scrubbed: token]"]
    );
    let scrubber = knowing_uid(&[0x04, 0x11, 0x22, 0x33, 0x04, 0x11, 0x22]);
    assert_eq!(frames(&scrubber, &["04112233041122", "04:11:22:33:04:11:22"]), ["[scrubbed: tag id]"; 2]);
}

proptest! {
    /// Whatever the cuts, what all frames show together has no six characters of the token in a row from one piece on.
    #[test]
    fn frames_joined_do_not_give_the_secret(cuts in prop::collection::vec(0_usize..40, 0..12), hex in any::<bool>()) {
        let token = "tok-4f1c9a7e2b-Workshop";
        let scrubber = knowing_token(token);
        let spelt = if hex { HEXLOWER.encode(token.as_bytes()) } else { token.to_owned() };
        let text = format!("See {spelt}!");
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at % text.len()).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let joined = frames(&scrubber, &pieces).concat().replace("[scrubbed: beginning of a secret]", "");
        let joined = joined.replace("[scrubbed: token]", "");
        let shown = (1..=spelt.len()).rev().find(|length| joined.contains(&spelt[..*length])).unwrap_or_default();
        prop_assert!(shown <= 5 && joined.len() <= "See !".len() + 5, "{joined}");
    }
}
