//! Plays a scenario against a written course of events and compares, line by line.
//!
//! What comes from the engine: `live`, `out KIND`, `< KIND [TEXT]`, `! RULE` (a finding), `busy`, `idle`,
//! `refused TEXT`, `failed KIND TEXT`, `over KIND TEXT`, `stopped`, and `+ 5s` (time passes). What the player
//! does stands under it: `ask REQUEST`, `step N verb ok`, `outcome CLASS`.

use std::sync::Arc;
use std::time::Duration;

use crate::client::notice::{Connection, Line, LineKind, Notice};
use crate::client::request::Request;
use crate::protocol::observation::Intent;
use crate::protocol::server::{Failure, TextDelta};
use crate::protocol::{Event, Finding, rules};
use crate::scenario::parse;
use crate::scenario::player::{Act, Player};
use crate::session::{RunState, SessionView};
use crate::trace::record::{Body, Direction, Record};
use crate::units::Turn;

/// The course of `scenario`, which begins with a live session, under a timeout of 60 s.
#[track_caller]
pub fn play(scenario: &str, course: &str) {
    let scenario = parse("x", scenario).unwrap_or_else(|error| panic!("{error}"));
    let mut player = Player::new(scenario, Duration::from_secs(60));
    player.start();
    let lines: Vec<&str> = course.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let mut played = done(&mut player);
    let (mut now, mut over) = (Duration::ZERO, false);
    for line in &lines {
        let Some(input) = input(line, &mut now) else { continue };
        played.push((*line).to_owned());
        match input {
            Some(notice) => player.notice(now, &notice),
            None => player.tick(now),
        }
        played.extend(done(&mut player));
        if let Some(outcome) = player.finished().filter(|_| !over) {
            over = true;
            let hint = outcome.hint.map(|h| format!(" ({h})")).unwrap_or_default();
            played.push(format!("outcome {:?} {}{hint}", outcome.class, outcome.message.unwrap_or_default()));
        }
    }
    let played: Vec<&str> = played.iter().map(|l| l.trim()).collect();
    assert_eq!(lines.join("\n"), played.join("\n"), "left: the course, right: what happened");
}

fn done(player: &mut Player) -> Vec<String> {
    std::iter::from_fn(|| player.poll())
        .map(|act| match act {
            Act::Ask(Request::Say(text)) => format!("ask Say {text}"),
            Act::Ask(Request::Observe(observe)) => format!(
                "ask Observe {} {} {} {:?}",
                observe.tag.unwrap_or_default(),
                observe.picture.unwrap_or_default(),
                observe.intent,
                observe.aim
            ),
            Act::Ask(other) => format!("ask {other:?}"),
            Act::Report(step) => {
                let (ok, detail) = if step.ok { ("ok", None) } else { ("not ok:", step.detail) };
                format!("step {} {} {ok} {}", step.number, step.verb, detail.unwrap_or_default())
            }
        })
        .collect()
}

/// A line of the course: `Some(None)` is time, `None` is no input.
fn input(line: &str, now: &mut Duration) -> Option<Option<Notice>> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(Some(match word {
        "live" => Notice::Connection(Connection::Live),
        "out" => Notice::Frame(Arc::new(out(rest))),
        "<" => Notice::Frame(Arc::new(came(rest))),
        "!" => Notice::Finding { at: *now, finding: finding(rest) },
        "busy" => session(RunState::Running { turn: Some(Turn(1)) }),
        "idle" => session(RunState::Idle),
        "refused" => Notice::Refused(said(LineKind::Gate, rest)),
        "failed" => Notice::Failed(kind_and(rest)),
        "over" => Notice::Connection(Connection::Over(kind_and(rest))),
        "stopped" => Notice::Stopped,
        "+" => {
            let (number, unit) = rest.split_at(rest.find(char::is_alphabetic).expect("a unit"));
            let number: u64 = number.parse().expect("a number");
            *now += if unit == "ms" { Duration::from_millis(number) } else { Duration::from_secs(number) };
            return Some(None);
        }
        _ => return None,
    }))
}

fn finding(id: &str) -> Finding {
    Finding::new(rules::by_id(id).expect("a rule"), "as the course says")
}

fn session(run: RunState) -> Notice {
    Notice::Session(Arc::new(SessionView { run, ..SessionView::default() }))
}

fn said(kind: LineKind, text: &str) -> Line {
    Line { at: Duration::ZERO, text: text.to_owned(), hint: None, kind }
}

fn kind_and(rest: &str) -> Line {
    let (kind, text) = rest.split_once(' ').expect("kind and text");
    let kind = match kind {
        "card" => LineKind::Card,
        "connection" => LineKind::Connection,
        "timeout" => LineKind::Timeout,
        "device" => LineKind::Device,
        "usage" => LineKind::Usage,
        "info" => LineKind::Info,
        other => unreachable!("{other}"),
    };
    said(kind, text)
}

fn record(direction: Direction, kind: &str, body: Body) -> Record {
    Record {
        index: 0,
        at: Duration::ZERO,
        direction,
        sequence: None,
        kind: kind.to_owned().into(),
        bytes: 0,
        value: None,
        body,
        acted: true,
        deliberate: false,
        findings: Vec::new(),
        late: None,
    }
}

fn out(kind: &str) -> Record {
    let body = match kind {
        "user.turn" => Body::Say { turn: Turn(1), text: String::new() },
        "user.observation" => Body::Show {
            turn: Turn(1),
            object_ref: None,
            image: None,
            intent: Intent::Identify,
            answers: None,
        },
        _ => Body::Client,
    };
    record(Direction::Out, kind, body)
}

/// `KIND`, `text.delta TEXT`, `failure CODE`; `KIND not acted on RULE`.
pub fn came(text: &str) -> Record {
    let (text, violation) = match text.split_once(" not acted on ") {
        Some((text, rule)) => (text, Some(finding(rule))),
        None => (text, None),
    };
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let event = match kind {
        "run.started" => Event::RunStarted,
        "run.completed" => Event::RunCompleted,
        "text.delta" => Event::TextDelta(TextDelta { text: rest.trim_matches('"').to_owned() }),
        "failure" => Event::Failure(Failure { code: rest.to_owned(), message: String::new() }),
        other => Event::Unknown { name: other.to_owned() },
    };
    let acted = violation.is_none() && !matches!(event, Event::Unknown { .. });
    let findings = violation.into_iter().collect();
    Record { acted, findings, ..record(Direction::In, kind, Body::Event(event)) }
}
