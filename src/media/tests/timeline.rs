use std::time::Duration;

use crate::media::timeline::{Stamp, Timeline};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn packets_follow_each_other_however_unevenly_they_become_ready_and_counters_wrap() {
    let mut line = Timeline::new(65_534, u32::MAX - 1_919);
    let stamps = [0, 1, 45, 46, 150].map(|at| line.next(ms(at), 960));
    let is = |sequence, timestamp, marker| Stamp { sequence, timestamp, marker };
    assert_eq!(stamps[0], is(65_534, u32::MAX - 1_919, true));
    assert_eq!(stamps[1], is(65_535, u32::MAX - 959, false));
    assert_eq!(stamps[2], is(0, 0, false));
    assert_eq!(stamps[3], is(1, 960, false));
    assert_eq!(stamps[4], is(2, 1_920, false));
}

#[test]
fn after_a_pause_the_timestamp_has_gone_on_and_the_marker_is_set() {
    let mut line = Timeline::new(7, 0);
    line.next(ms(20), 960);
    // Three seconds from the end of the one to the beginning of the other.
    let after = line.next(ms(20 + 3_000 + 20), 960);
    assert_eq!(after, Stamp { sequence: 8, timestamp: 960 + 3 * 48_000, marker: true });
    assert!(!line.next(ms(3_060), 960).marker);
}

#[test]
fn a_pause_that_was_meant_counts_however_short() {
    let mut line = Timeline::new(0, 0);
    line.next(ms(20), 960);
    line.pause();
    assert_eq!(line.next(ms(90), 960), Stamp { sequence: 1, timestamp: 960 + 50 * 48, marker: true });
    line.pause();
    assert_eq!(
        line.next(ms(90), 960).timestamp,
        2 * 960 + 50 * 48,
        "time that did not pass takes nothing back"
    );
}

#[test]
fn silence_that_is_not_sent_is_passed_over_by_the_timestamp_alone() {
    let mut line = Timeline::new(0, 0);
    line.next(ms(20), 960);
    line.skip(ms(40), 960);
    line.skip(ms(60), 960);
    assert_eq!(line.next(ms(80), 960), Stamp { sequence: 1, timestamp: 3 * 960, marker: true });
}
