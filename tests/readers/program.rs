//! The program itself, as people start it: `run` and `devices` on real readers.

use super::common::{Running, finish};
use super::pcscd::{ACR122U, Pcscd};
use super::place::{Place, is_silent_about_the_id, objects};
use super::tag::Tag;

#[tokio::test]
async fn a_scenario_scans_tags_of_every_kind_and_the_agent_gets_what_they_say() {
    let place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &[]).await;
    for (what, carrier) in [
        ("--type t2", "uri"),
        ("--type t3", "uri"),
        ("--type t4", "uri"),
        ("--type t5", "uri"),
        ("--type classic", "alias"),
        // B1: the factory's lock block, then a text and nothing that is a reference.
        ("--type t2 --tlv 0103A00C340312D1010E5402656E6B697373202D20636F6C64FE", "alias"),
    ] {
        tag.place(what).await;
        let done = finish(place.run(&["--allow", "reader", "--json"], &place.scan())).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{what}: {}", done.out);
        let objects = objects(&done);
        assert_eq!(objects.len(), 1, "{what}: {}", done.out);
        let reference = objects[0]["objectRef"].as_str().unwrap();
        match carrier {
            "uri" => assert_eq!(reference, "https://example.org/tag/42", "{what}"),
            _ => assert!(reference.starts_with("urn:agentcall:local:"), "{what}: {reference}"),
        }
    }
}

#[tokio::test]
async fn the_id_of_a_tag_stands_nowhere() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &["--cc", "00000000"]).await;
    let steps = place.scan();
    let mut said = String::new();
    for flags in [&["--allow", "reader", "--json"][..], &["--allow", "reader"]] {
        let done = finish(place.run(flags, &steps)).await;
        assert_eq!(done.code, 0, "{done:?}");
        said.push_str(&done.out);
        said.push_str(&done.err);
    }
    let reader = place.daemon.name(0);
    for flags in [&["--json"][..], &[]] {
        let args = [&["devices", "--probe", "--reader", &reader], flags].concat();
        let done = finish(place.command(&args)).await;
        assert_eq!(done.code, 0, "{done:?}");
        said.push_str(&done.out);
        said.push_str(&done.err);
    }
    assert!(tag.exchanges().await.iter().any(|e| e.answer.as_deref() == Some("04A1B2C3D4E5F69000")));
    assert!(said.contains("urn:agentcall:local:") && said.contains("FF CA"), "it was read: {said}");
    assert!(is_silent_about_the_id(&said), "{said}");
    assert!(is_silent_about_the_id(&place.left()));
}

#[tokio::test]
async fn nothing_is_sent_to_a_tag_that_no_step_scans_or_no_flag_allows() {
    let place = Place::new().await;
    let mut tag = Tag::on(&place.daemon, &[]).await;
    let talk = "say hello\nexpect event run.completed\n";
    let done = finish(place.run(&["--allow", "reader"], talk)).await;
    assert_eq!(done.code, 0, "{done:?}");
    let steps = format!("scan reader:\"{}\"\n", place.daemon.name(0));
    let refused = finish(place.run(&[], &steps)).await;
    assert!(refused.code == 2 && refused.err.contains("--allow reader"), "{refused:?}");
    let listed = finish(place.command(&["devices", "--json"])).await;
    assert_eq!(listed.code, 0, "{listed:?}");
    assert_eq!(tag.commands().await.len(), 0);
}

#[tokio::test]
async fn a_daemon_killed_and_a_tag_torn_away_are_survived_inside_one_step() {
    let mut place = Place::new().await;
    let mut tag = Tag::off(&place.daemon, &["--type", "t4"]).await;
    let steps = place.scan();
    let mut running = Running::start(place.run(&["--allow", "reader", "--json"], &steps));
    running.until("\"live\"").await;
    tag.tell("rip 3").await;
    tag.tell("on").await;
    running.until("torn away").await;
    place.daemon.kill().await;
    running.until("the PC/SC service went away").await;
    place.daemon.run().await;
    tag.tell("on").await;
    running.until("https://example.org/tag/42").await;
    let done = running.end().await;
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
}

#[tokio::test]
async fn devices_names_readers_and_what_is_wrong_with_them() {
    let place = Place::new().await;
    let name = place.daemon.name(0);
    let listed = finish(place.command(&["devices", "--json", "--reader", &name])).await;
    assert_eq!(listed.code, 0, "{listed:?}");
    let found = &listed.json_lines()[0]["found"];
    assert_eq!((found["name"].as_str(), found["kind"].as_str()), (Some(&*name), Some("contactless")));
    let missing = finish(place.command(&["devices", "--reader", "OMNIKEY"])).await;
    assert!(
        missing.code == 6 && missing.err.contains("OMNIKEY") && missing.err.contains(&name),
        "{missing:?}"
    );
    let absent = Place::at(Pcscd::stopped(&[ACR122U]).await).await;
    let listed = finish(absent.command(&["devices"])).await;
    assert!(listed.out.to_lowercase().contains("the pc/sc service does not run"), "{listed:?}");
    assert!(listed.out.contains("pcscd"), "{listed:?}");
}
