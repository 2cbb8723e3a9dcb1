use std::time::Duration;

use super::{Armed, ArmedBy, DeviceKind, Ended};

const HALF_MINUTE: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn a_consent_is_for_one_kind_of_device_until_its_deadline() {
    let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, HALF_MINUTE);
    assert!(armed.permits(DeviceKind::Reader) && !armed.permits(DeviceKind::Camera));
    assert_eq!(armed.remaining(), HALF_MINUTE);
    tokio::time::advance(HALF_MINUTE).await;
    assert!(!armed.permits(DeviceKind::Reader) && armed.remaining().is_zero());
    assert_eq!(armed.ended().await, Ended::Deadline);
}

#[tokio::test(start_paused = true)]
async fn dropping_it_ends_the_leash_of_a_device_in_another_task() {
    let armed = Armed::mint(DeviceKind::Camera, ArmedBy::ScenarioStep, HALF_MINUTE);
    let mut leash = armed.leash();
    let device = tokio::spawn(async move { (leash.ended().await, leash.is_live()) });
    tokio::task::yield_now().await;
    assert!(!device.is_finished());
    drop(armed);
    assert_eq!(device.await.unwrap(), (Ended::Disarmed, false));
}

#[tokio::test(start_paused = true)]
async fn taking_it_back_ends_a_call_that_holds_it() {
    let armed = Armed::mint(DeviceKind::Microphone, ArmedBy::Key, HALF_MINUTE);
    let esc = armed.disarm();
    let call = tokio::spawn(async move { (armed.ended().await, armed.permits(DeviceKind::Microphone)) });
    tokio::task::yield_now().await;
    esc.now();
    esc.now();
    assert_eq!(call.await.unwrap(), (Ended::Disarmed, false));
}

#[tokio::test(start_paused = true)]
async fn a_leash_taken_after_the_end_is_not_live() {
    let armed = Armed::mint(DeviceKind::Reader, ArmedBy::Key, HALF_MINUTE);
    armed.disarm().now();
    let leash = armed.leash();
    assert!(!leash.is_live());
    drop(armed);
    assert!(!leash.is_live());
}
