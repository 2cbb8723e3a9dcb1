use super::*;

#[test]
fn a2a_types_are_notes_and_both_shapes_are_read() {
    changed(
        card,
        &[
            ("no name", "/name", json!("REMOVE"), "", "CARD-17 /name"),
            ("name a number", "/name", json!(5), "", "CARD-17 /name"),
            ("skills an object", "/skills", json!({}), "", "CARD-17 /skills"),
            ("no interfaces listed", "/supportedInterfaces", json!([]), "", "CARD-15 /supportedInterfaces"),
            (
                "no interfaces at all",
                "/supportedInterfaces",
                json!("REMOVE"),
                "",
                "CARD-15 /supportedInterfaces",
            ),
            ("interfaces a string", "/supportedInterfaces", json!("x"), "", "CARD-17 /supportedInterfaces"),
            (
                "an unknown binding",
                "/supportedInterfaces/0/protocolBinding",
                json!("MQTT"),
                "",
                "CARD-17 /supportedInterfaces/0",
            ),
            ("0.3 mixed in", "/url", json!("https://agent.example/old"), "", "CARD-16 /url"),
            (
                "the endpoint as an interface",
                "/supportedInterfaces/0/url",
                json!("https://agent.example/agui"),
                "",
                "CARD-15 /supportedInterfaces",
            ),
        ],
    );
    let mut old = card();
    set(&mut old, "/supportedInterfaces", json!("REMOVE"));
    set(&mut old, "/url", json!("https://agent.example/a2a"));
    set(&mut old, "/protocolVersion", json!("0.3.0"));
    set(
        &mut old,
        "/additionalInterfaces",
        json!([{"url": "https://agent.example/grpc", "transport": "GRPC"}]),
    );
    let report = report(&old, &remote());
    assert_eq!((report.offer.is_some(), lines(&report.notes).as_str()), (true, "CARD-16 /url"));
    assert_eq!(report.summary.shape, CardVersion::V0_3);
    let interfaces: Vec<String> =
        report.summary.interfaces.iter().map(|i| format!("{} {}", i.binding, i.url)).collect();
    assert_eq!(interfaces, ["JSONRPC https://agent.example/a2a", "GRPC https://agent.example/grpc"]);
}

/// H5: both shapes in one card are noted, and what A2A 1.0 says counts.
#[test]
fn of_a_mixed_card_the_interfaces_of_1_0_come_out() {
    let mut mixed = card();
    let expected: Vec<String> =
        report(&mixed, &remote()).summary.interfaces.iter().map(|i| i.url.clone()).collect();
    set(&mut mixed, "/url", json!("https://agent.example/old"));
    set(&mut mixed, "/protocolVersion", json!("0.3.0"));
    set(
        &mut mixed,
        "/additionalInterfaces",
        json!([{"url": "https://agent.example/grpc", "transport": "GRPC"}]),
    );
    let report = report(&mixed, &remote());
    assert_eq!(report.summary.shape, CardVersion::Mixed);
    assert!(lines(&report.notes).contains("CARD-16"), "{}", lines(&report.notes));
    let interfaces: Vec<String> = report.summary.interfaces.iter().map(|i| i.url.clone()).collect();
    assert!(!expected.is_empty() && interfaces == expected, "{interfaces:?}");
}

#[test]
fn bearer_is_needed_when_the_requirements_name_it() {
    let new = json!({"b": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}, "k": {"apiKeySecurityScheme": {"name": "x"}}, "o": {"oauth2SecurityScheme": {}}});
    let old = json!({"b": {"type": "http", "scheme": "bearer"}, "k": {"type": "apiKey", "in": "header", "in_": "x"}, "n": {"type": "http"}});
    let requirements = "securityRequirements";
    for (case, schemes, member, list, needed, notes) in [
        ("1.0", &new, requirements, json!([{"schemes": {"b": {"list": []}}}]), true, ""),
        ("1.0, flat", &new, requirements, json!([{"b": []}]), true, ""),
        ("0.3", &old, "security", json!([{"b": []}]), true, ""),
        ("one of two ways", &old, "security", json!([{"k": []}, {"b": []}]), true, ""),
        ("both at once", &old, "security", json!([{"k": [], "b": []}]), true, ""),
        ("declared and not required", &new, requirements, json!([]), false, ""),
        ("or nothing at all", &old, "security", json!([{"b": []}, {}]), false, ""),
        ("only a key", &old, "security", json!([{"k": []}]), false, "CARD-22 /security"),
        (
            "only OAuth",
            &new,
            requirements,
            json!([{"schemes": {"o": {"list": []}}}]),
            false,
            "CARD-22 /securityRequirements",
        ),
        (
            "not declared",
            &old,
            "security",
            json!([{"z": []}]),
            false,
            "CARD-22 /security/0/z; CARD-22 /security",
        ),
        (
            "http without a scheme",
            &old,
            "security",
            json!([{"n": []}]),
            false,
            "CARD-22 /securitySchemes/n/scheme; CARD-22 /security",
        ),
        ("an object", &old, "security", json!({"b": []}), false, "CARD-22 /security"),
        ("schemes a string", &json!("x"), "security", json!([]), false, "CARD-22 /securitySchemes"),
    ] {
        let mut card = card();
        card["securitySchemes"] = schemes.clone();
        card[member] = list;
        let report = report(&card, &remote());
        assert_eq!(lines(&report.notes), notes, "{case}");
        assert_eq!(
            report.offer.map(|offer| offer.needs_bearer),
            Some(needed),
            "{case}: security never refuses a card"
        );
    }
}

#[test]
fn the_media_type_is_noted() {
    for (came, notes) in
        [("application/json; charset=utf-8", ""), ("application/a2a+json", ""), ("text/html", "CARD-21")]
    {
        let context = CardContext { content_type: Some(came.to_owned()), ..remote() };
        assert_eq!(lines(&report(&card(), &context).notes), notes, "{came}");
    }
}
