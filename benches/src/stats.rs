//! Medians with their spread: a mean hides what a busy machine does to single runs.

use std::time::Duration;

/// Measured times.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// One more.
    pub fn push(&mut self, time: Duration) {
        let at = self.0.partition_point(|other| *other <= time);
        self.0.insert(at, time);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that this share of all (0 to 1) does not exceed, by nearest rank.
    ///
    /// # Panics
    /// When nothing was measured.
    pub fn quantile(&self, share: f64) -> Duration {
        assert!(!self.0.is_empty(), "nothing was measured");
        let rank = (share * self.0.len() as f64).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1]
    }

    /// The middle one.
    pub fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    /// `412 ms (405–430)`: median, fastest and slowest.
    pub fn spread(&self) -> String {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let digits = if ms(self.median()) < 100.0 { 1 } else { 0 };
        let (low, high) = (ms(self.quantile(0.0)), ms(self.quantile(1.0)));
        format!("{:.digits$} ms ({low:.digits$}–{high:.digits$})", ms(self.median()))
    }
}

/// How many times as long the one took as the other, by their medians.
pub fn ratio(ours: &Times, peers: &Times) -> f64 {
    ours.median().as_secs_f64() / peers.median().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_nearest_rank() {
        let mut times = Times::default();
        (1..=100).rev().for_each(|ms| times.push(Duration::from_millis(ms)));
        let at = |share| times.quantile(share).as_millis();
        assert_eq!((at(0.0), at(0.5), at(0.99), at(1.0)), (1, 50, 99, 100));
        assert_eq!(times.spread(), "50.0 ms (1.0–100.0)");
    }
}
