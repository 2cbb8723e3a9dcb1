#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

use super::shown;

#[test]
fn what_default_means_is_shown_beside_it() {
    assert_eq!(shown("default", "Desk speaker"), "default (Desk speaker)");
    assert_eq!(
        (shown("default", "default").as_str(), shown("Desk", "Desk speaker").as_str()),
        ("default", "Desk")
    );
}
