use super::*;

#[test]
fn exactly_one_declaration() {
    let ours = |uri: &str| {
        let mut e = card().pointer(EXT).unwrap().clone();
        e["uri"] = json!(uri);
        e
    };
    let uri = &format!("{EXT}/uri");
    changed(
        card,
        &[
            ("the legacy alias", uri, json!(LEGACY_URI), "", "CARD-18 EXT/uri"),
            (
                "declared twice",
                "/capabilities/extensions/-",
                ours(CANONICAL_URI),
                "CARD-4 /capabilities/extensions/1",
                "",
            ),
            (
                "canonical and legacy mixed",
                "/capabilities/extensions/-",
                ours(LEGACY_URI),
                "CARD-4 /capabilities/extensions/1",
                "",
            ),
            (
                "another version",
                uri,
                json!(CANONICAL_URI.replace("0.1", "0.2")),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "a trailing slash",
                uri,
                json!(format!("{CANONICAL_URI}/")),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "other letters' case",
                uri,
                json!(CANONICAL_URI.to_uppercase()),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            ("no extensions", "/capabilities/extensions", json!([]), "CARD-3 /capabilities/extensions", ""),
            (
                "extensions not an array",
                "/capabilities/extensions",
                json!({}),
                "CARD-3 /capabilities/extensions",
                "",
            ),
            (
                "no capabilities",
                "/capabilities",
                json!("REMOVE"),
                "CARD-3 /capabilities/extensions",
                "CARD-17 /capabilities",
            ),
            ("our own, required", &format!("{EXT}/required"), json!(true), "", ""),
        ],
    );
}

#[test]
fn other_extensions() {
    let other = "/capabilities/extensions/-";
    let place = "/capabilities/extensions/1";
    let unknown = format!("CARD-6 {place}");
    changed(
        card,
        &[
            ("optional", other, json!({"uri": "https://x.example/e"}), "", ""),
            ("optional, said so", other, json!({"uri": "https://x.example/e", "required": false}), "", ""),
            ("required", other, json!({"uri": "https://x.example/e", "required": true}), &unknown, ""),
            (
                "required, wrong type",
                other,
                json!({"uri": "https://x.example/e", "required": "true"}),
                &unknown,
                "",
            ),
            (
                "required without a URI",
                other,
                json!({"required": true}),
                &unknown,
                &format!("CARD-17 {place}/uri"),
            ),
            ("not an object", other, json!("https://x.example/e"), "", &format!("CARD-17 {place}")),
        ],
    );
}
