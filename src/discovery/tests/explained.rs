use super::*;

#[test]
fn a_good_card_is_explained() {
    let mut card = card();
    card["securitySchemes"] = json!({"b": {"type": "http", "scheme": "bearer"}});
    card["security"] = json!([{"b": []}]);
    set(&mut card, &format!("{PARAMS}/physicalObservations/agentRequests"), json!(["photo"]));
    assert_eq!(
        explain(&report(&card, &remote())),
        [
            "Workshop agent 1.2.0".to_owned(),
            "  Knows the workshop.".to_owned(),
            format!(
                "  Card: A2A 1.0, 0 skills, {} bytes from https://agent.example/.well-known/agent-card.json",
                card.to_string().len()
            ),
            "Offers: text, scanning a tag (nfc), showing a photo (photo)".to_owned(),
            "  The agent may ask for a photo; you decide each time.".to_owned(),
            "How: WebSocket at https://agent.example/agui".to_owned(),
            "Voice: the client's own; no audio goes over the connection".to_owned(),
            "Authentication: a bearer token is needed (--token-env or --token-file)".to_owned(),
        ]
    );
}

#[test]
fn a_refusal_is_explained_with_rule_and_place() {
    let mut card = card();
    let again = card.pointer(EXT).unwrap().clone();
    set(&mut card, "/capabilities/extensions/-", again);
    let said = explain(&report(&card, &remote()));
    assert_eq!(
        said[3],
        "The card at agent.example was refused: it declares the AgentCall extension twice: at /capabilities/extensions/0 and again at /capabilities/extensions/1 (CARD-4, § Version and migration). Nothing was sent."
    );
    set(&mut card, &format!("{PARAMS}/schemaVersion"), json!("9"));
    let said = explain(&report(&card, &remote()));
    assert_eq!(said[3], "The card at agent.example was refused for 2 reasons. Nothing was sent.");
    assert_eq!(
        said[5],
        format!(
            "  expected \"0.1\", came \"9\" at {PARAMS}/schemaVersion (CARD-5, § Version and migration, R1)"
        )
    );
}

#[test]
fn the_record_says_the_same_for_programs() {
    let record = serde_json::to_value(report(&card(), &remote()).record()).unwrap();
    assert_eq!(
        (&record["usable"], &record["profile"], &record["a2a"]),
        (&json!(true), &json!("agentcall-agui-ws-0.1"), &json!("1.0"))
    );
    let record = serde_json::to_value(validate(b"{}", &remote()).record()).unwrap();
    assert_eq!(
        (&record["usable"], &record["refusals"][0]["id"], &record["refusals"][0]["pointer"]),
        (&json!(false), &json!("CARD-3"), &json!("/capabilities/extensions"))
    );
}

#[test]
fn long_names_are_cut() {
    let mut card = card();
    card["name"] = json!("é".repeat(50_000));
    card["description"] = json!("d".repeat(100_000));
    let said = explain(&report(&card, &remote()));
    assert_eq!(said[0].matches('é').count(), 120);
    assert!(
        said.iter().all(|line| line.len() < 1_100),
        "{:?}",
        said.iter().map(String::len).collect::<Vec<_>>()
    );
    assert!(said.iter().any(|line| line.starts_with("Offers: ")));
}
