//! The JSON Schemas of the wire against what really goes over it: the card that the agent serves, and every frame
//! of the shipped scenario.
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod common;

use common::{Running, command, finish, root};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn schema(name: &str) -> jsonschema::Validator {
    let path = root().join("assets/schemas").join(name);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[track_caller]
fn fits(schema: &jsonschema::Validator, value: &Value) {
    let errors: Vec<String> =
        schema.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{value}\n{}", errors.join("\n"));
}

async fn card(origin: &str) -> Value {
    let authority = origin.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let ask = format!(
        "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn what_really_goes_over_the_wire_fits_the_schemas() {
    let home = tempfile::tempdir().unwrap();
    let mut agent = Running::start(command(home.path(), &["agent", "--listen", "127.0.0.1:0"]));
    let line = agent.line().await.unwrap();
    let from = line.find("http://127.0.0.1:").unwrap();
    let port: String =
        line[from + "http://127.0.0.1:".len()..].chars().take_while(char::is_ascii_digit).collect();
    let origin = format!("http://127.0.0.1:{port}");
    let extensions = card(&origin).await["capabilities"]["extensions"].clone();
    fits(&schema("agentcall-card-0.1.schema.json"), &extensions[0]);

    let scenario = root().join("assets/scenarios/teach.agentcall").display().to_string();
    let done = finish(command(home.path(), &["run", &origin, "--local", "--json", &scenario])).await;
    assert_eq!(done.code, 0, "{}", done.out);
    let (client, events) =
        (schema("agentcall-agui-ws-client-0.1.schema.json"), schema("agentcall-events-0.1.schema.json"));
    let observations = schema("agentcall-physical-observation-0.1.schema.json");
    let mut seen = [0; 3];
    for mut line in done.json_lines() {
        let direction = line["dir"].as_str().map(str::to_owned);
        let Some(frame) = line.get_mut("frame") else { continue };
        // The trace holds size and hash in the place of an image's bytes; its other facts are as they were sent.
        if let Some(data) = frame.pointer_mut("/observation/image/data") {
            *data = json!("AAAA");
        }
        if let Some(observation) = frame.get("observation") {
            fits(&observations, observation);
            seen[2] += 1;
        }
        let out = direction.as_deref() == Some("out");
        fits(if out { &client } else { &events }, frame);
        seen[usize::from(out)] += 1;
    }
    assert!(seen[0] > 50 && seen[1] > 20 && seen[2] >= 6, "{seen:?}");
}
