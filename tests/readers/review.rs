//! What a scan takes up to the review: the whole engine on a real reader, in a process of its own as the scanner is.

use std::time::{Duration, Instant};

use agentcall::agent::{AgentConfig, serve};
use agentcall::client::notice::{Activity, Connection};
use agentcall::client::request::Aim;
use agentcall::client::{Client, Notice, Request};
use agentcall::device::nfc::{PcscReaders, TagRead};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::common::PATIENCE;
use super::common::engine::config;
use super::pace::{least, median};
use super::pcscd::Pcscd;
use super::scanner::{Scanner, chosen, say, typed};
use super::tag::Tag;

/// What each command takes, as with a tag in the field of a reader.
const DELAY: [&str; 2] = ["--delay", "0.01"];
/// From the return of the connection to the review, in times that the commands alone take.
const LITTLE_MORE: f64 = 1.15;
/// From a tag that is put down to its review, in seconds.
const SOON: f64 = 0.5;
/// How often each is measured.
const TRIES: u32 = 5;

async fn engine(daemon: &Pcscd) -> Scanner {
    Scanner::process("review::the_engine_itself", daemon, &[]).await
}

/// Arms it, and waits for the review: `{"technology", "commands", "sum" of their times, "reviewed" since the connection}`.
async fn review(engine: &mut Scanner) -> Value {
    engine.tell("scan").await;
    engine.until("review", |_| true).await
}

#[tokio::test]
async fn from_the_connection_to_the_review_little_more_passes_than_in_the_commands_that_are_needed() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &DELAY).await;
    let mut engine = engine(&daemon).await;
    for (kind, technology, needed) in [
        ("t2", "Type 2", 5),
        ("t3", "Type 3 (FeliCa)", 6),
        ("t4", "Type 4", 6),
        ("t5", "Type 5 (ISO 15693)", 15),
    ] {
        let mut ratios = Vec::new();
        for _ in 0..TRIES {
            tag.place(&format!("--type {kind}")).await;
            let review = review(&mut engine).await;
            assert_eq!(review["technology"], technology, "{review}");
            let (sum, reviewed) = (review["sum"].as_f64().unwrap(), review["reviewed"].as_f64().unwrap());
            let sent = tag.commands().await.len();
            assert_eq!((review["commands"].as_u64(), sent), (Some(needed), usize::try_from(needed).unwrap()));
            #[allow(clippy::cast_precision_loss, reason = "a few commands")]
            let least_sum = 0.01 * needed as f64;
            assert!(sum > least_sum, "{review}");
            ratios.push(reviewed / sum);
        }
        println!("{kind}: from the connection to the review, in sums of the commands' times: {ratios:.4?}");
        assert!(least(&ratios) <= LITTLE_MORE, "{kind}: {ratios:?}");
    }
}

#[tokio::test]
async fn a_tag_that_is_put_down_is_under_review_within_half_a_second() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &DELAY).await;
    let mut engine = engine(&daemon).await;
    for kind in ["t2", "t3", "t4", "t5"] {
        let mut times = Vec::new();
        for turn in 0..TRIES {
            tag.swap(&format!("--type {kind}")).await;
            engine.tell("scan").await;
            engine.until("armed", |_| true).await;
            // The daemon has just looked, and looks every 400 ms: people put tags down at any time between two looks.
            tokio::time::sleep(Duration::from_millis(80) * turn).await;
            let put_down = Instant::now();
            tag.tell("on").await;
            engine.until("review", |_| true).await;
            times.push(put_down.elapsed().as_secs_f64());
        }
        println!("{kind}: from put down to the review, in seconds: {times:.3?}");
        assert!(median(&times) < SOON, "{kind}: {times:?}");
    }
}

// ── the child ──

#[tokio::test]
#[ignore = "the other tests start it as a process of its own"]
async fn the_engine_itself() {
    let Some(choice) = chosen() else { return };
    let agent = serve(AgentConfig::default()).await.unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut config = config(&agent.card_url, state.path());
    config.reader = (Box::new(PcscReaders::new(choice)), None);
    config.scan_within = PATIENCE;
    // The engine's time begins after this, so that what we measure is never less than what was.
    let begun = Instant::now();
    let mut client = Client::spawn(config);
    ask(&client, Request::Connect).await;
    until(&mut client, |notice| matches!(notice, Notice::Connection(Connection::Live)).then_some(())).await;
    say("ready", &json!(true));
    let mut commands = typed();
    while let Some(line) = commands.recv().await {
        assert_eq!(line, "scan");
        ask(&client, Request::ArmScan(Aim::Unrelated)).await;
        until(&mut client, |notice| matches!(activity(notice)?, Activity::Armed(_)).then_some(())).await;
        say("armed", &json!(true));
        let (at, read) = until(&mut client, read).await;
        let technology = until(&mut client, reviewed).await;
        let connected = begun + at - read.took;
        let (commands, sum) = (read.apdus.len(), read.in_apdus().as_secs_f64());
        let since = connected.elapsed().as_secs_f64();
        let review = json!({ "technology": technology, "commands": commands, "sum": sum, "reviewed": since });
        say("review", &review);
        ask(&client, Request::DropReviewed).await;
        until(&mut client, |notice| matches!(activity(notice)?, Activity::Idle).then_some(())).await;
    }
    std::process::exit(0);
}

async fn ask(client: &Client, request: Request) {
    client.requests.send(request).await.unwrap();
}

/// The next notice that is wanted.
async fn until<T>(client: &mut Client, wanted: impl Fn(&Notice) -> Option<T>) -> T {
    loop {
        let next = timeout(PATIENCE, client.notices.recv()).await;
        let notice = next.expect("it says something").expect("it goes on");
        if let Notice::Failed(line) | Notice::Refused(line) = &notice {
            panic!("{}", line.text);
        }
        if let Some(found) = wanted(&notice) {
            return found;
        }
    }
}

fn activity(notice: &Notice) -> Option<&Activity> {
    let Notice::Physical(view) = notice else { return None };
    Some(&view.activity)
}

/// When, by the engine's time, which tag was read.
fn read(notice: &Notice) -> Option<(Duration, TagRead)> {
    let Notice::Device(event) = notice else { return None };
    Some((event.at, event.read()?.clone()))
}

/// The technology of the tag that is under review.
fn reviewed(notice: &Notice) -> Option<String> {
    let Activity::Reviewing { review, .. } = activity(notice)? else { return None };
    Some(review.tag.as_ref()?.technology.clone())
}
