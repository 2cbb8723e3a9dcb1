//! `agentcall card`: what a person sees of a card, and what a program gets.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Done, agentcall};

use agentcall::agent::{AgentConfig, serve};
use agentcall::protocol::Modalities;
use agentcall::redact::Token;
use serde_json::{Value, json};

const SECRET: &str = "tok-4f1c9a7e2b";

/// A card with an extension of these parameters, in a file.
fn card_file(dir: &tempfile::TempDir, extensions: &Value) -> String {
    let path = dir.path().join("card.json");
    let card = json!({
        "name": "Workshop", "description": "A bench", "version": "1", "supportedInterfaces": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
        "capabilities": { "extensions": extensions },
    });
    std::fs::write(&path, card.to_string()).unwrap();
    path.display().to_string()
}

fn extension() -> Value {
    json!({
        "uri": "https://agentcall.smartycode.com/ext/agentcall-agui/0.1",
        "params": {
            "schemaVersion": "0.1",
            "agui": { "url": "https://agent.example/agui", "transport": "websocket" },
            "voice": { "owner": "client" },
            "physicalObservations": { "accepted": ["nfc"], "agentRequests": ["nfc", "photo"] },
        },
    })
}

#[tokio::test]
async fn a_served_card_is_explained() {
    let agent = serve(AgentConfig::default()).await.unwrap();
    let origin = format!("http://{}", agent.addr);
    let done = agentcall(&["card", "--local", &origin]).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.err, "");
    let asked = format!("Asked {}: 200, the card", agent.card_url);
    assert_eq!(done.out.lines().next(), Some(asked.as_str()));
    for said in
        ["Workshop agent", "Offers: text, scanning a tag (nfc), showing a photo (photo)", "How: WebSocket at"]
    {
        assert!(done.out.contains(said), "{said}: {}", done.out);
    }
}

#[tokio::test]
async fn a_text_only_legacy_card_is_used_and_said_to_be_one() {
    let config = AgentConfig { accepted: Modalities::NONE, legacy_uri: true, ..AgentConfig::default() };
    let agent = serve(config).await.unwrap();
    let done = agentcall(&["card", "--local", &agent.card_url]).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("Offers: text\n") && done.out.contains("legacy URI"), "{}", done.out);
}

#[tokio::test]
async fn json_is_one_line_that_fits_the_schema() {
    let agent = serve(AgentConfig::default()).await.unwrap();
    let done = agentcall(&["card", "--local", "--json", &agent.card_url]).await;
    let lines = done.json_lines();
    assert_eq!((done.code, lines.len(), done.err.as_str()), (0, 1, ""));
    assert_eq!(lines[0]["card"]["usable"], true);
    assert_eq!(lines[0]["card"]["accepted"], json!(["nfc", "photo"]));
}

#[tokio::test]
async fn a_refused_card_names_rule_and_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = card_file(&dir, &json!([extension()]));
    let done = agentcall(&["card", &file]).await;
    assert_eq!((done.code, done.err.as_str()), (3, ""), "{done:?}");
    let place = "/capabilities/extensions/0/params/physicalObservations/agentRequests/1";
    assert!(done.out.contains(place) && done.out.contains("Nothing was sent."), "{}", done.out);

    let done = agentcall(&["card", "--json", &file]).await;
    let card = &done.json_lines()[0]["card"];
    assert_eq!((done.code, card["usable"].as_bool()), (3, Some(false)));
    assert_eq!(card["refusals"][0]["pointer"], place);
}

#[tokio::test]
async fn every_kind_of_failure_has_its_exit_code_and_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let big = dir.path().join("big.json");
    std::fs::write(&big, vec![b' '; 256 * 1024 + 1]).unwrap();
    let (big, missing) = (big.display().to_string(), dir.path().join("none.json").display().to_string());
    let closed = common::closed_port();
    for (args, code, kind, said) in [
        (vec!["card", "http://agent.example"], 2, "usage", "plain HTTP"),
        (vec!["card", "wss://agent.example/agui"], 2, "usage", "R23"),
        (vec!["card", "https://me:secret@agent.example"], 2, "usage", "user name"),
        (vec!["card", missing.as_str()], 2, "usage", "cannot be read"),
        (
            vec!["card", "--token-env", "AGENTCALL_TEST_UNSET", "https://a.example"],
            2,
            "usage",
            "AGENTCALL_TEST_UNSET",
        ),
        (vec!["card", big.as_str()], 3, "card", "256 KiB"),
        (vec!["card", "https://127.0.0.1/"], 4, "connection", "127.0.0.1"),
        (vec!["card", "--local", closed.as_str()], 4, "connection", "127.0.0.1"),
        (vec!["card", "--nonsense"], 2, "usage", "--nonsense"),
    ] {
        let done = agentcall(&args).await;
        assert_eq!((done.code, done.out.as_str()), (code, ""), "{args:?}: {done:?}");
        assert!(done.err.starts_with("agentcall: ") && done.err.contains(said), "{args:?}: {}", done.err);
        let sentences = done.err.lines().filter(|line| !line.starts_with("hint: ")).count();
        assert_eq!(sentences, 1, "{}", done.err);
        assert!(!done.err.contains("secret"), "{}", done.err);

        let json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let done = agentcall(&json).await;
        assert_eq!((done.code, done.err.as_str()), (code, ""), "{json:?}: {done:?}");
        assert_eq!(done.json_lines()[0]["error"]["kind"], kind, "{json:?}");
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/card.json", silent.local_addr().unwrap());
    let done = agentcall(&["card", "--local", "--json", &url]).await;
    assert_eq!((done.code, done.json_lines()[0]["error"]["kind"].as_str()), (5, Some("timeout")), "{done:?}");
}

#[tokio::test]
async fn wait_waits_for_the_agent() {
    let place = common::closed_port();
    let waiting = tokio::spawn({
        let place = place.clone();
        async move { agentcall(&["card", "--local", "--wait=20", &place]).await }
    });
    let listen = place.trim_start_matches("http://").parse().unwrap();
    // Time for a first attempt that is refused. On a slow machine the test sees less, and still passes.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let _agent = serve(AgentConfig { listen, ..AgentConfig::default() }).await.unwrap();
    assert_eq!(waiting.await.unwrap().code, 0);
}

#[tokio::test]
async fn a_token_opens_a_card_and_is_never_shown() {
    let config = AgentConfig { bearer: Some(Token::new(SECRET)), ..AgentConfig::default() };
    let agent = serve(config).await.unwrap();
    let refused = agentcall(&["card", "--local", &agent.card_url]).await;
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.err.contains("401") && refused.err.contains("--token-env"), "{}", refused.err);

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    std::fs::write(&file, format!("{SECRET}\n")).unwrap();
    let args = ["card", "--local", "--token-file", file.to_str().unwrap(), &agent.card_url];
    let done = agentcall(&args).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("asked again with the token"), "{}", done.out);
    assert!(done.out.contains("bearer token"), "{}", done.out);
    assert!(!done.out.contains(SECRET) && !done.err.contains(SECRET));
}

#[tokio::test]
async fn text_of_a_hostile_card_cannot_reach_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let mut sound = extension();
    sound["params"]["physicalObservations"] = json!({ "accepted": ["nfc"], "agentRequests": [] });
    let file = card_file(&dir, &json!([sound]));
    let card = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, card.replace("A bench", "a\\u001b]52;c;cm0=\\u0007b\\u009bc\\u202ed\\ne")).unwrap();
    for args in [vec!["card", file.as_str()], vec!["card", "--json", file.as_str()]] {
        let Done { code, out, .. } = agentcall(&args).await;
        assert_eq!(code, 0, "{out}");
        let harmless = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
        assert!(out.chars().all(harmless), "{out:?}");
    }
}

#[tokio::test]
async fn nobody_reading_ends_it_quietly() {
    let agent = serve(AgentConfig::default()).await.unwrap();
    let done = common::without_reader(&["card", "--local", &agent.card_url]).await;
    assert_eq!((done.code, done.err.as_str()), (141, ""));
}
