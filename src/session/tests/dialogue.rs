//! Plays a dialogue against a session and compares, line by line.

use std::time::Duration;

use serde_json::{Value, json};

use crate::protocol::card::TransportProfile;
use crate::protocol::frame::RawFrame;
use crate::protocol::observation::{Assurance, Carrier, ImageData, ImageInput, Intent, ObjectInput};
use crate::protocol::{ClientMessage, Dialect, Finding, Modalities};
use crate::redact::ImageBytes;
use crate::session::{
    Answer, Ask, Draft, Held, Input, Output, PendingState, Refusal, RunState, Session, Terms,
};

/// Both modalities everywhere, WebSocket, and no acks, which have their own dialogues.
pub fn terms() -> Terms {
    Terms {
        session_id: "s-1".to_owned(),
        accepted: Modalities::BOTH,
        agent_requests: Modalities::BOTH,
        offered: Modalities::BOTH,
        explicit_turns: false,
        max_message: None,
        transport: Some(TransportProfile::WebSocket),
        acks: false,
        dialect: Dialect::default(),
    }
}

/// Plays `script` from before the start.
#[track_caller]
pub fn play(terms: Terms, script: &str) -> Session {
    continued(Session::new(terms), Duration::ZERO, script)
}

/// Plays `script` on a session that is live, its last sequence 1.
#[track_caller]
pub fn live(script: &str) -> Session {
    live_under(terms(), script)
}

/// Plays `script` on a live session under other terms.
#[track_caller]
pub fn live_under(terms: Terms, script: &str) -> Session {
    let acks = terms.acks;
    let mut session = Session::new(Terms { acks: false, ..terms });
    for input in [Input::Opened, Input::Received(frame("1 session.established"))] {
        session.handle(Duration::ZERO, input).expect("it starts");
    }
    while session.poll().is_some() {}
    session.terms.acks = acks;
    continued(session, Duration::ZERO, script)
}

#[track_caller]
fn continued(mut session: Session, mut now: Duration, script: &str) -> Session {
    let lines: Vec<&str> = script.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let mut played = Vec::new();
    for line in &lines {
        if let Some(field) = line.strip_prefix("? ") {
            played.push(format!("? {}", seen(&session, field.split(' ').next().unwrap_or_default())));
            continue;
        }
        let Some(input) = input(line, &mut now) else { continue };
        played.push((*line).to_owned());
        let refused = session.handle(now, input).err();
        played.extend(std::iter::from_fn(|| session.poll()).filter_map(|o| came_out(&o)));
        played.extend(refused.map(|r| format!("refused {}", why(&r))));
    }
    assert_eq!(lines.join("\n"), played.join("\n"), "left: the dialogue, right: what happened");
    session
}

fn input(line: &str, now: &mut Duration) -> Option<Input> {
    if let Some(time) = line.strip_prefix("+ ") {
        let (number, unit) = time.split_at(time.find(char::is_alphabetic).expect("a unit"));
        let number: u64 = number.parse().expect("a number");
        *now += if unit == "ms" { Duration::from_millis(number) } else { Duration::from_secs(number) };
        return Some(Input::Tick);
    }
    match line {
        "open" => Some(Input::Opened),
        "closed" => Some(Input::Closed),
        _ if line.starts_with("< ") => Some(Input::Received(frame(&line[2..]))),
        _ if line.starts_with("> ") => Some(Input::Ask(ask(&line[2..]))),
        _ => None,
    }
}

/// `2 run.started`, `3 text.delta "Hi"`, `4 asks nfc ix-1`, `5 resolves ix-1 answered`, `6 failure code`,
/// `7 some.event {"more":1}`, `binary 12`, `oversized 200000`, or the text itself.
pub fn frame(text: &str) -> RawFrame {
    let words: Vec<&str> = text.splitn(3, ' ').collect();
    let event = match words[..] {
        ["binary", bytes] => return RawFrame::Binary { bytes: bytes.parse().expect("a number") },
        ["oversized", bytes] => return RawFrame::Oversized { bytes: bytes.parse().expect("a number") },
        [number, ..] if number.parse::<u64>().is_err() => return RawFrame::Text(text.to_owned()),
        [_, "session.established"] => json!({"type": "session.established", "resumed": false}),
        [_, kind] => json!({"type": kind}),
        [_, "text.delta", text] if text.starts_with('"') => {
            json!({"type": "text.delta", "text": text.trim_matches('"')})
        }
        [_, "failure", code] if !code.starts_with('{') => {
            json!({"type": "failure", "code": code, "message": "no"})
        }
        [_, "asks", rest] => {
            let (modality, id) = rest.split_once(' ').expect("modality and id");
            let kind = if modality == "nfc" { "physical.nfc.scan" } else { "physical.photo.capture" };
            json!({"type": "interaction.requested", "interactionId": id, "kind": kind, "prompt": "Show it",
                   "spokenPrompt": "Show it", "options": [], "allowsFreeform": false})
        }
        [_, "resolves", rest] => {
            let (id, outcome) = rest.split_once(' ').expect("id and outcome");
            json!({"type": "interaction.resolved", "interactionId": id, "outcome": outcome})
        }
        [_, kind, more] => {
            let mut event: Value = serde_json::from_str(more).expect("JSON");
            event["type"] = json!(kind);
            event
        }
        _ => unreachable!("{text}"),
    };
    let sequence: u64 = words[0].parse().expect("a sequence");
    RawFrame::Text(json!({"sequence": sequence, "event": event}).to_string())
}

/// `talk`, `commit MS` (asked at that time), `silence`, `say "x"`, `scan urn:a`, `photo`, `both urn:a`, `nothing`, each but the first with `for ix-1`; `cancel`,
/// `drop`, `end`, `past the gate {…}`.
fn ask(text: &str) -> Ask {
    let (what, answer) = match text.split_once(" for ") {
        Some((what, id)) if !text.starts_with("say") => (what, Answer::To(id.to_owned())),
        _ => (text, Answer::Unrelated),
    };
    let (verb, rest) = what.split_once(' ').unwrap_or((what, ""));
    match verb {
        "say" => Ask::Say(rest.trim_matches('"').to_owned()),
        "cancel" => Ask::Cancel,
        "drop" => Ask::DropHeld,
        "talk" => Ask::OpenAudio,
        "commit" => Ask::CommitAudio { asked: Duration::from_millis(rest.parse().expect("milliseconds")) },
        "silence" => Ask::CancelAudio,
        "end" => Ask::End,
        "past" => Ask::Deliberate(rest.trim_start_matches("the gate ").to_owned()),
        "scan" => Ask::Show(draft(Some(rest), false, answer)),
        "photo" => Ask::Show(draft(None, true, answer)),
        "both" => Ask::Show(draft(Some(rest), true, answer)),
        "nothing" => Ask::Show(draft(None, false, answer)),
        other => unreachable!("{other}"),
    }
}

/// A sound draft.
pub fn draft(object: Option<&str>, photo: bool, answer: Answer) -> Draft {
    let object = object.map(|object_ref| ObjectInput {
        object_ref: object_ref.to_owned(),
        carrier: Carrier::Ndef,
        assurance: Assurance::UnverifiedTag,
        payload_sha256: crate::protocol::sha256_hex(object_ref.as_bytes()),
        passport: None,
    });
    Draft {
        observation_id: "o-1".to_owned(),
        captured_at: "2026-09-07T10:00:00Z".to_owned(),
        intent: Intent::Identify,
        object,
        image: photo.then(|| image(300)),
        answer,
    }
}

/// An image whose facts are right; the session looks no deeper.
pub fn image(bytes: usize) -> ImageInput {
    let jpeg = vec![7_u8; bytes];
    let sha256 = crate::protocol::sha256_hex(&jpeg);
    ImageInput {
        media_type: "image/jpeg".to_owned(),
        data: ImageData::encode(&ImageBytes::new(jpeg)),
        byte_count: bytes as u64,
        sha256,
        pixel_width: 16,
        pixel_height: 8,
    }
}

fn came_out(output: &Output) -> Option<String> {
    Some(match output {
        Output::Send(message) => format!("→ {}", sent(message)),
        Output::SendDeliberate(text) => format!("→ past the gate {text}"),
        Output::Judged(judged) if judged.acted && judged.findings.is_empty() => return None,
        Output::Judged(judged) => {
            let acted = if judged.acted { "acted on" } else { "not acted on" };
            let ids: Vec<&str> = judged.findings.iter().map(id).collect();
            format!("{acted} {}", ids.join(" ")).trim().to_owned()
        }
        Output::Noted(finding) => format!("noted {}", id(finding)),
        Output::HeldRefused(refusal) => format!("held turn refused {}", why(refusal)),
        Output::TurnOver(turn) => format!("turn {turn} over"),
        Output::Close => "close".to_owned(),
    })
}

fn id(finding: &Finding) -> &'static str {
    finding.rule.id
}

fn why(refusal: &Refusal) -> String {
    refusal.rule.map_or_else(|| format!("{:?}", refusal.kind), |rule| rule.id.to_owned())
}

fn sent(message: &ClientMessage) -> String {
    let kind = message.kind();
    match message {
        ClientMessage::SessionStart(start) => {
            let physical = start.client_capabilities.physical_observations.as_ref();
            let modalities = physical.into_iter().flat_map(|p| p.modalities.iter().copied());
            let control = start.client_capabilities.audio_turn_control.as_ref();
            let control = control.map(|c| format!(" {} turns", c.mode)).unwrap_or_default();
            format!("{kind} {} {}{control}", start.session_id, modalities.collect::<Modalities>())
        }
        ClientMessage::UserTurn(turn) => {
            let about = turn.context.first().map(|c| format!(" about {}", c.value)).unwrap_or_default();
            format!("{kind} {} \"{}\"{about}", turn.turn, turn.text)
        }
        ClientMessage::UserObservation(shown) => {
            let object = shown.observation.object.as_ref();
            let object = object.map(|o| format!(" {}", o.object_ref)).unwrap_or_default();
            let answers = shown.interaction_id.as_ref().map(|i| format!(" for {i}")).unwrap_or_default();
            format!("{kind} {} {}{object}{answers}", shown.turn, shown.observation.modalities())
        }
        ClientMessage::Ack { sequence } => format!("{kind} {sequence}"),
        ClientMessage::AudioTurnStart { turn }
        | ClientMessage::AudioTurnCommit { turn }
        | ClientMessage::AudioTurnCancel { turn } => format!("{kind} {turn}"),
        _ => kind.to_owned(),
    }
}

fn seen(session: &Session, field: &str) -> String {
    let view = session.view();
    let value = match field {
        "phase" => format!("{:?}", view.phase),
        "run" => match view.run {
            RunState::Idle => "idle".to_owned(),
            RunState::InFlight { turn } => format!("in flight {turn}"),
            RunState::Running { turn } => {
                format!("running {}", turn.map_or_else(|| "unasked".to_owned(), |t| t.to_string()))
            }
            RunState::Cancelling { .. } => "cancelling".to_owned(),
        },
        "audio" => {
            view.audio.map_or_else(|| "none".to_owned(), |a| format!("{} since {:?}", a.turn, a.since))
        }
        "held" => match view.held {
            Some(Held::Say(text)) => format!("\"{text}\""),
            Some(Held::Show(modalities)) => modalities.to_string(),
            None => "none".to_owned(),
        },
        "pending" => view.pending.map_or_else(
            || "none".to_owned(),
            |p| {
                let state = if p.state == PendingState::Open { "open" } else { "awaiting" };
                format!("{} {} {state}", p.modality, p.interaction_id)
            },
        ),
        "focus" => view.focus.map_or_else(|| "none".to_owned(), |f| f.object_ref),
        "proposal" => view
            .proposal
            .map_or_else(|| "none".to_owned(), |p| format!("{} is \"{}\"", p.object_ref, p.label)),
        "negotiated" => view.negotiated.to_string(),
        "deadline" => session.next_deadline().map_or_else(|| "none".to_owned(), |d| format!("{d:?}")),
        "latency" => view.latency.map_or_else(
            || "none".to_owned(),
            |l| {
                format!(
                    "turn {} asked {:?} sent {:?} started {:?} text {:?} completed {:?}",
                    l.turn, l.asked, l.sent, l.started, l.first_text, l.completed
                )
            },
        ),
        other => unreachable!("{other}"),
    };
    format!("{field} {value}")
}
