//! What the daemon itself does, seen without our code: the ground on which the other tests stand.

use super::pcscd::Pcscd;
use super::tag::Tag;

const NO_SERVICE: &str = "error 0x8010001D";
const NO_CARD: &str = "error 0x8010000C";
/// `SCARD_E_NOT_TRANSACTED`, and `SCARD_W_REMOVED_CARD` where the daemon has looked in between.
const GONE: [&str; 2] = ["error 0x80100016", "error 0x80100069"];
const SHARING: &str = "error 0x8010000B";

#[tokio::test]
async fn a_daemon_of_our_own_has_two_slots_and_reads_a_tag() {
    let daemon = Pcscd::start().await;
    let name = daemon.name(0);
    assert_eq!(daemon.raw(&["list"]).await, format!("{name}\n{}\n", name.replace(" 00 00", " 00 01")));
    assert!(daemon.raw(&["send", &name, "FFCA000000"]).await.starts_with(NO_CARD));
    let mut tag = Tag::on(&daemon, &[]).await;
    let said = daemon.raw(&["send", &name, "FFCA000000", "FFB0000304"]).await;
    assert_eq!(said, "04A1B2C3D4E5F69000\nE11012009000\n");
    assert_eq!(tag.commands().await, ["FFCA000000", "FFB0000304"]);
}

#[tokio::test]
async fn a_tag_torn_away_inside_an_apdu_is_an_answer_of_no_bytes() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::on(&daemon, &["--rip-after", "1"]).await;
    let said = daemon.raw(&["send", &daemon.name(0), "FFCA000000", "FFB0000304"]).await;
    assert!(said.starts_with("04A1B2C3D4E5F69000\n\n"), "{said}");
    let exchanges = tag.exchanges().await;
    assert_eq!((exchanges.len(), exchanges[1].answer.as_deref()), (2, None));
}

#[tokio::test]
async fn a_tag_torn_away_between_two_apdus_is_an_error_at_the_next() {
    let daemon = Pcscd::start().await;
    let mut tag = Tag::off(&daemon, &[]).await;
    for delay in ["0", "0.6"] {
        for command in ["off", &format!("delay {delay}"), "rip-between 1", "on"] {
            tag.tell(command).await;
        }
        tag.until("power down").await;
        let said = daemon.raw(&["send", &daemon.name(0), "FFCA000000", "FFB0000304"]).await;
        let second = said.strip_prefix("04A1B2C3D4E5F69000\n").unwrap_or_else(|| panic!("{said}"));
        assert!(GONE.iter().any(|error| second.starts_with(error)), "{said}");
        let exchanges = tag.exchanges().await;
        assert!(exchanges.len() == 1 && exchanges[0].answer.is_some(), "{exchanges:?}");
    }
}

#[tokio::test]
async fn another_program_may_hold_a_card_for_itself() {
    let daemon = Pcscd::start().await;
    let _tag = Tag::on(&daemon, &[]).await;
    let holder = daemon.held_by(&daemon.name(0), "scdaemon").await;
    assert!(daemon.raw(&["send", &daemon.name(0), "FFCA000000"]).await.starts_with(SHARING));
    holder.let_go().await;
    assert_eq!(daemon.raw(&["send", &daemon.name(0), "FFCA000000"]).await, "04A1B2C3D4E5F69000\n");
}

#[tokio::test]
async fn daemons_stand_side_by_side_and_each_can_go_and_come_back() {
    let (mut one, two) = tokio::join!(Pcscd::start(), Pcscd::with(&["ACS ACR1252 Dual Reader"]));
    one.kill().await;
    assert!(one.raw(&["list"]).await.starts_with(NO_SERVICE));
    assert!(two.raw(&["list"]).await.starts_with("ACS ACR1252"));
    one.run().await;
    one.stop().await;
    assert!(one.raw(&["list"]).await.starts_with(NO_SERVICE));
    one.run().await;
    assert!(one.raw(&["list"]).await.contains("ACR122U"));
    one.freeze();
    assert!(two.raw(&["list"]).await.contains("ACR1252"), "the other answers");
    one.thaw();
    assert!(one.raw(&["list"]).await.contains("ACR122U"));
}

#[tokio::test]
async fn one_daemon_may_have_several_readers_or_none() {
    let daemon = Pcscd::with(&["ACS ACR1252 PICC Reader", "ACS ACR1252 SAM Reader"]).await;
    let (mut first, mut second) =
        tokio::join!(Tag::at(&daemon, 0, &[]), Tag::at(&daemon, 1, &["--type", "classic"]));
    for (reader, id) in [(0, "04A1B2C3D4E5F69000\n"), (1, "A1B2C3D49000\n")] {
        assert_eq!(daemon.raw(&["send", &daemon.name(reader), "FFCA000000"]).await, id);
    }
    assert_eq!((first.commands().await.len(), second.commands().await.len()), (1, 1));
    assert_eq!(Pcscd::with(&[]).await.raw(&["list"]).await, "");
}
