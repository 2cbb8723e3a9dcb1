use super::*;

#[test]
fn the_endpoint_is_an_https_url_that_can_be_reached() {
    let here = "http://127.0.0.1:8787/.well-known/agent-card.json";
    for (url, context, refused) in [
        (json!("https://agent.example/agui"), remote(), ""),
        (json!("https://other.example:8443/x?y=z"), remote(), ""),
        (json!("http://agent.example/agui"), remote(), "expected https:, came http:"),
        (json!("wss://agent.example/agui"), remote(), "derived from an https URL"),
        (json!("ws://127.0.0.1/agui"), local(here), "derived from an https URL"),
        (json!("ftp://agent.example/"), remote(), "came \"ftp\""),
        (json!("/agui"), remote(), "without scheme and host"),
        (json!(""), remote(), "without scheme and host"),
        (json!("https://"), remote(), "it is not a URL"),
        (json!("https://me:secret@agent.example/"), remote(), "carries a user name or a password"),
        (json!(5), remote(), "came a number"),
        (json!("REMOVE"), remote(), "it is missing"),
        (json!("https://0.0.0.0:8443/agui"), remote(), "not reachable"),
        (json!("http://0.0.0.0:8000/agui"), local(here), "not reachable"),
        (json!("http://[::]:8080/agui"), local(here), "the card itself came from http://127.0.0.1:8787"),
        (json!("http://[::ffff:0.0.0.0]/agui"), local(here), "not reachable"),
        (json!("https://localhost/agui"), remote(), "not reachable from here"),
        (json!("https://api.localhost./agui"), remote(), "the card came from https://agent.example"),
        (json!("https://[::ffff:7f00:1]/agui"), remote(), "not reachable from here"),
        (json!("http://127.0.0.1:8787/agui"), local(here), ""),
        (json!("http://localhost:8787/agui"), local(here), ""),
        (json!("http://192.168.1.5/agui"), local("http://192.168.1.5/card.json"), ""),
        (json!("http://93.184.216.34/agui"), local(here), "only to a loopback or private address"),
    ] {
        let mut card = card();
        set(&mut card, &format!("{PARAMS}/agui/url"), url.clone());
        let report = report(&card, &context);
        let said = report.refusals.iter().map(|f| f.detail.as_str()).collect::<Vec<_>>().join("; ");
        assert_eq!(said.is_empty(), refused.is_empty(), "{url}: {said}");
        assert!(said.contains(refused) && !said.contains("secret"), "{url}: {said}");
        assert!(report.refusals.iter().all(|f| f.rule.id == "CARD-11"), "{url}");
    }
}

#[test]
fn a_local_card_that_names_this_machine_from_another_is_noted() {
    let mut card = card();
    set(&mut card, &format!("{PARAMS}/agui/url"), json!("http://localhost:8000/agui"));
    let report = report(&card, &local("http://192.168.1.5:8000/card.json"));
    assert_eq!((report.offer.is_some(), lines(&report.notes)), (true, format!("CARD-11 {PARAMS}/agui/url")));
}
