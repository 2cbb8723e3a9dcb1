//! The paths that a Rust source file names, flattened: `use a::{b, c::d}` names `a::b` and `a::c::d`.
//!
//! Not a parser of Rust: comments and literals are left out, then runs of names, `::`, braces and commas are
//! read. That is enough for paths, in `use` lines and in code.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    /// `::`
    Step,
    Sign(char),
}

/// Every path in `source`, a file whose module is `module`. Paths from the root of the crate begin with
/// `crate::`, however they were spelled.
pub(crate) fn of(source: &str, module: &[String]) -> Vec<String> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut inner = InnerModules::default();
    let mut at = 0;
    while at < tokens.len() {
        inner.pass(&tokens, at);
        if matches!(tokens[at], Token::Name(_)) && (at == 0 || tokens[at - 1] != Token::Step) {
            let here: Vec<String> = module.iter().cloned().chain(inner.names()).collect();
            let mut flat = Vec::new();
            let end = tree(&tokens, at, &[], &mut flat);
            found.extend(flat.iter().filter(|path| path.len() > 1).map(|path| from_root(path, &here)));
            at = end.max(at + 1);
        } else {
            at += 1;
        }
    }
    found
}

/// The modules that are open, `mod x {`, with the depth of braces at which each closes.
#[derive(Default)]
struct InnerModules {
    depth: usize,
    open: Vec<(String, usize)>,
}

impl InnerModules {
    fn pass(&mut self, tokens: &[Token], at: usize) {
        match &tokens[at] {
            Token::Sign('{') => {
                if let [Token::Name(word), Token::Name(name)] = &tokens[at.saturating_sub(2)..at]
                    && word == "mod"
                {
                    self.open.push((name.clone(), self.depth));
                }
                self.depth += 1;
            }
            Token::Sign('}') => {
                self.depth = self.depth.saturating_sub(1);
                self.open.retain(|(_, depth)| *depth < self.depth);
            }
            _ => {}
        }
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.open.iter().map(|(name, _)| name.clone())
    }
}

/// Reads one path or tree of paths from `at` on; returns where it ends.
fn tree(tokens: &[Token], mut at: usize, before: &[String], flat: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Name(name)) => path.push(name.clone()),
            Some(Token::Sign('{')) => return group(tokens, at + 1, &path, flat),
            _ => break,
        }
        at += 1;
        if tokens.get(at) != Some(&Token::Step) {
            break;
        }
        at += 1;
    }
    flat.push(path);
    at
}

fn group(tokens: &[Token], mut at: usize, before: &[String], flat: &mut Vec<Vec<String>>) -> usize {
    loop {
        match tokens.get(at) {
            Some(Token::Sign('}')) => return at + 1,
            None => return at,
            Some(Token::Name(_)) => at = tree(tokens, at, before, flat),
            Some(_) => at += 1,
        }
    }
}

/// The path with `super`, `self` and the crate's own name resolved from the module `here`.
fn from_root(path: &[String], here: &[String]) -> String {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let mut whole: Vec<&str> = Vec::new();
    if supers > 0 || path[0] == "self" {
        let kept = here.len().saturating_sub(supers);
        whole.push("crate");
        whole.extend(here[..kept].iter().map(String::as_str));
        whole.extend(path[supers.max(1)..].iter().map(String::as_str));
    } else {
        whole.extend(path.iter().map(String::as_str));
        if whole[0] == "agentcall" {
            whole[0] = "crate";
        }
    }
    whole.join("::")
}

fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next().is_some_and(|c| c != '\n') {},
            '/' if chars.peek() == Some(&'*') => skip_block_comment(&mut chars),
            '"' => skip_string(&mut chars),
            '\'' => skip_char(&mut chars),
            ':' if chars.peek() == Some(&':') => {
                chars.next();
                tokens.push(Token::Step);
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut name = String::from(c);
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                let raw = matches!(name.as_str(), "r" | "br" | "cr");
                if !(raw && skip_raw_string(&mut chars)) {
                    tokens.push(Token::Name(name));
                }
            }
            c if c.is_whitespace() => {}
            c => tokens.push(Token::Sign(c)),
        }
    }
    tokens
}

fn skip_block_comment(chars: &mut Peekable<Chars<'_>>) {
    let (mut depth, mut last) = (1, ' ');
    chars.next();
    while depth > 0
        && let Some(c) = chars.next()
    {
        match (last, c) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                last = c;
                continue;
            }
        }
        last = ' ';
    }
}

fn skip_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '"' => return,
            _ => {}
        }
    }
}

/// A character literal, or nothing after the `'` of a lifetime.
fn skip_char(chars: &mut Peekable<Chars<'_>>) {
    let mut ahead = chars.clone();
    match ahead.next() {
        Some('\\') => {
            chars.next();
            chars.next();
            while chars.next().is_some_and(|c| c != '\'') {}
        }
        Some(_) if ahead.next() == Some('\'') => {
            chars.next();
            chars.next();
        }
        _ => {}
    }
}

/// Skips `#"…"#` after an `r`, if that is what follows.
fn skip_raw_string(chars: &mut Peekable<Chars<'_>>) -> bool {
    let mut ahead = chars.clone();
    let mut hashes = 0;
    while ahead.next_if_eq(&'#').is_some() {
        hashes += 1;
    }
    if ahead.next() != Some('"') {
        return false;
    }
    *chars = ahead;
    let mut closing = None;
    for c in chars.by_ref() {
        closing = match (c, closing) {
            ('"', _) => Some(0),
            ('#', Some(seen)) => Some(seen + 1),
            _ => None,
        };
        if closing == Some(hashes) {
            break;
        }
    }
    true
}
