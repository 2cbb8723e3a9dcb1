//! Typing as a dialogue: the text with `|` where the cursor is, keys, and what it then is.

use proptest::prelude::*;

use super::*;

fn at(marked: &str) -> Editor {
    let cursor = marked.chars().position(|c| c == '|').unwrap();
    let mut editor = Editor::with(&marked.replacen('|', "", 1));
    editor.input = editor.input.with_cursor(cursor);
    editor
}

fn shown(editor: &Editor) -> String {
    let (before, after) = editor.text().split_at(editor.byte());
    format!("{before}|{after}")
}

#[track_caller]
fn leads(from: &str, keys: &[Key], to: &str) {
    let mut editor = at(from);
    for key in keys {
        assert!(editor.key(*key), "{key} means something while typing");
    }
    assert_eq!(shown(&editor), to);
}

#[test]
fn characters_and_words() {
    leads("|", &[Key::Char('h'), Key::Char('i')], "hi|");
    leads("one two|", &[Key::Ctrl('w')], "one |");
    leads("one| two", &[Key::Ctrl('u')], "| two");
    leads("one| two", &[Key::Ctrl('k')], "one|");
    leads("a👩‍👩‍👧|", &[Key::Backspace], "a|");
    leads("|é", &[Key::Right, Key::Char('x')], "éx|");
}

#[test]
fn home_and_end_are_of_the_line() {
    leads("one\ntw|o\nthree", &[Key::Home], "one\n|two\nthree");
    leads("one\nt|wo\nthree", &[Key::End], "one\ntwo|\nthree");
}

#[test]
fn up_and_down_keep_the_column_where_there_is_one() {
    leads("one\nthree|", &[Key::Up], "one|\nthree");
    leads("thr|ee\no\nfour", &[Key::Down], "three\no|\nfour");
    leads("on|e", &[Key::Up], "on|e");
    leads("on|e", &[Key::Down], "on|e");
    leads("one|\n", &[Key::Down], "one\n|");
}

#[test]
fn a_paste_keeps_lines_and_loses_what_a_terminal_would_obey() {
    let mut editor = at("a|b");
    editor.paste("1\r\n2\r3\u{1b}[31m\u{9b}\t");
    assert_eq!(shown(&editor), "a1\n2\n3[31m\t|b");
}

#[test]
fn a_huge_paste_is_bounded_and_quick() {
    let mut editor = Editor::default();
    editor.paste(&"é".repeat(1_000_000));
    assert_eq!((editor.text().chars().count(), editor.cursor()), (MOST, MOST));
    editor.key(Key::Char('x'));
    assert_eq!(editor.text().chars().count(), MOST);
}

proptest! {
    #[test]
    fn no_key_loses_the_cursor(
        text in "[a é\n👩‍👧]{0,20}",
        keys in prop::collection::vec(0_usize..14, 0..40),
    ) {
        const KEYS: [Key; 14] = [
            Key::Char('x'), Key::Backspace, Key::Delete, Key::Left, Key::Right, Key::Up, Key::Down,
            Key::Home, Key::End, Key::Ctrl('w'), Key::Ctrl('u'), Key::Ctrl('k'), Key::Ctrl('d'), Key::Char('\n'),
        ];
        let mut editor = Editor::with(&text);
        for key in keys {
            editor.key(KEYS[key]);
            prop_assert!(editor.cursor() <= editor.text().chars().count());
            prop_assert!(editor.line_start() <= editor.cursor() && editor.cursor() <= editor.line_end());
        }
    }
}
