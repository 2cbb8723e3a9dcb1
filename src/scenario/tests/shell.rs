//! The asynchronous shell, with a small engine on the other side of the channels.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::client::notice::{CardNotice, Connection, Line, Notice};
use crate::client::request::Request;
use crate::protocol::Finding;
use crate::scenario::{Class, Options, Sink, StepReport, parse, run};
use crate::trace::record::{Body, Direction, Record};
use crate::units::Turn;

/// Longer than anything here takes.
const PLENTY: Duration = Duration::from_secs(300);

#[derive(Default)]
struct Collected(Vec<String>);

impl Sink for Collected {
    fn card(&mut self, card: &CardNotice) {
        self.0.push(format!("card {}", card.agent));
    }
    fn frame(&mut self, record: &Record) {
        self.0.push(format!("frame {}", record.kind));
    }
    fn step(&mut self, step: &StepReport) {
        self.0.push(format!("step {} {}", step.number, step.ok));
    }
    fn finding(&mut self, _: Duration, finding: &Finding) {
        self.0.push(format!("finding {}", finding.rule.id));
    }
    fn line(&mut self, line: &Line) {
        self.0.push(line.text.clone());
    }
}

fn said() -> Record {
    Record {
        index: 0,
        at: Duration::ZERO,
        direction: Direction::Out,
        sequence: None,
        kind: "user.turn".into(),
        bytes: 0,
        value: None,
        body: Body::Say { turn: Turn(1), text: String::new() },
        acted: true,
        deliberate: false,
        findings: Vec::new(),
        late: None,
    }
}

/// Answers each request as an engine would, on channels of one place each.
async fn engine(mut requests: mpsc::Receiver<Request>, notices: mpsc::Sender<Notice>) {
    while let Some(request) = requests.recv().await {
        let answer = match request {
            Request::Connect => Notice::Connection(Connection::Live),
            Request::Say(_) => Notice::Frame(Arc::new(said())),
            Request::Quit => Notice::Stopped,
            other => panic!("{other:?} was not expected"),
        };
        if notices.send(answer).await.is_err() {
            return;
        }
    }
}

async fn played(scenario: &str, timeout: Duration) -> (Class, Vec<String>) {
    let (requests, asked) = mpsc::channel(1);
    let (tell, notices) = mpsc::channel(1);
    tokio::spawn(engine(asked, tell));
    let scenario = parse("x", scenario).expect("it is read");
    let mut sink = Collected::default();
    let options = Options { started: Instant::now(), timeout };
    let outcome = run(scenario, requests, notices, options, &mut sink).await;
    (outcome.class, sink.0)
}

#[tokio::test(start_paused = true)]
async fn a_scenario_is_played_and_reported_in_order() {
    let (class, reported) = played("wait 1s\nsay hello", PLENTY).await;
    assert_eq!(class, Class::Ok);
    assert_eq!(reported, ["step 1 true", "frame user.turn", "step 2 true"]);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_the_whole_run_is_kept() {
    let (class, reported) = played("expect event never within 90s", Duration::from_secs(30)).await;
    assert_eq!(class, Class::Timeout);
    assert_eq!(reported, ["step 1 false"]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_is_gone_ends_the_run() {
    let (requests, asked) = mpsc::channel(1);
    let (tell, notices) = mpsc::channel(1);
    drop((asked, tell));
    let options = Options { started: Instant::now(), timeout: PLENTY };
    let scenario = parse("x", "say hello").expect("it is read");
    let outcome = run(scenario, requests, notices, options, &mut Collected::default()).await;
    assert_eq!(outcome.class, Class::Internal);
}
