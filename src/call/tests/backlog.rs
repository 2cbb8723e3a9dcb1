use std::time::Duration;

use tokio::time::Instant;

use super::*;

/// Looks every second at a backlog: (sent, not acknowledged).
fn looks(all: &[(u64, usize)]) -> Vec<Look> {
    let (start, settings) = (Instant::now(), Settings::default());
    let mut watch = Backlog::new(start);
    let at = |second: usize| start + Duration::from_secs(second as u64);
    all.iter()
        .enumerate()
        .map(|(second, (sent, backlog))| watch.look(at(second), *sent, *backlog, &settings))
        .collect()
}

fn seconds(found: &[Look], wanted: &Look) -> Vec<usize> {
    found.iter().enumerate().filter(|(_, look)| *look == wanted).map(|(second, _)| second).collect()
}

#[test]
fn e1_a_backlog_that_stands_still_is_told_once_and_given_up_later() {
    let mut all = vec![(0, 0), (1000, 1000)];
    all.extend([(1000, 1000); 40]);
    let found = looks(&all);
    assert_eq!(seconds(&found, &Look::Stalled), [10]);
    assert_eq!(seconds(&found, &Look::GiveUp).first(), Some(&30));
}

#[test]
fn e1_a_backlog_that_falls_slowly_is_no_standstill_even_while_more_is_sent() {
    let all: Vec<(u64, usize)> = (0..60).map(|second| (second * 1000, 300)).collect();
    assert_eq!(seconds(&looks(&all), &Look::Nothing).len(), 60);
}

#[test]
fn e1_more_that_is_sent_into_a_standstill_does_not_hide_it() {
    let mut all = vec![(1000, 500)];
    all.extend((1..40).map(|second| (1000 + second * 100, 500 + usize::try_from(second).unwrap() * 100)));
    assert_eq!(seconds(&looks(&all), &Look::Stalled), [10]);
}

#[test]
fn e1_what_flows_again_is_told_once() {
    let mut all = vec![(1000, 1000); 15];
    all.extend([(1000, 900), (1000, 800), (1000, 0), (1000, 0)]);
    assert_eq!(seconds(&looks(&all), &Look::Flowing), [15]);
}
