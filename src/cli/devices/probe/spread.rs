//! How the times of many runs are spread. Pure.

use crate::trace::found::{ProbeRecord, SpreadRecord};

/// For each part, in the order in which runs tell them, its percentiles over the runs that read something.
pub fn of(runs: &[ProbeRecord]) -> Vec<SpreadRecord> {
    let mut parts: Vec<(&'static str, Vec<u64>)> = Vec::new();
    for time in runs.iter().filter(|run| run.ok).flat_map(|run| &run.times) {
        match parts.iter_mut().find(|(what, _)| *what == time.what) {
            Some((_, times)) => times.push(time.us),
            None => parts.push((time.what, vec![time.us])),
        }
    }
    parts.into_iter().map(|(what, times)| spread(what, times)).collect()
}

fn spread(what: &'static str, mut times: Vec<u64>) -> SpreadRecord {
    times.sort_unstable();
    let at = |percent| nearest_rank(&times, percent);
    SpreadRecord { what, p50_us: at(50), p90_us: at(90), p99_us: at(99), max_us: at(100) }
}

/// The smallest of the sorted values that `percent` of them do not exceed.
fn nearest_rank(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::found::TimeRecord;

    fn run(ok: bool, us: u64) -> ProbeRecord {
        ProbeRecord { ok, times: vec![TimeRecord { what: "read", us }], ..ProbeRecord::default() }
    }

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let runs: Vec<ProbeRecord> = (1..=200).rev().map(|us| run(true, us)).collect();
        let expected = SpreadRecord { what: "read", p50_us: 100, p90_us: 180, p99_us: 198, max_us: 200 };
        assert_eq!(of(&runs), [expected]);
        let one = SpreadRecord { what: "read", p50_us: 7, p90_us: 7, p99_us: 7, max_us: 7 };
        assert_eq!(of(&[run(true, 7), run(false, 900)]), [one], "what failed has no time");
        assert_eq!(of(&[run(false, 1)]), []);
    }
}
