//! Our own faults: a panic anywhere becomes one clear line and exit code 70.
//!
//! [`install`] is called once, before anything else runs. The line names the place in the source; a message
//! that was put together at run time is left out, because it may hold data of the user's.

use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::exit::{Failure, Kind};
use super::output::{Form, Printer};

/// Knows whether something has panicked, in whatever thread.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<State>);

#[derive(Debug, Default)]
struct State {
    any: AtomicBool,
    told: Notify,
}

impl Faults {
    /// Whether something has panicked.
    pub fn any(&self) -> bool {
        self.0.any.load(Ordering::SeqCst)
    }

    /// Waits until something has panicked.
    pub async fn happened(&self) {
        let told = self.0.told.notified();
        if !self.any() {
            told.await;
        }
    }

    /// Notes a panic; `true` for the first one, which alone is worth a line.
    fn note(&self) -> bool {
        let first = !self.0.any.swap(true, Ordering::SeqCst);
        self.0.told.notify_waiters();
        self.0.told.notify_one();
        first
    }
}

/// Makes every panic say its one line. A terminal guard that is installed later restores the terminal and
/// then calls this.
pub fn install(form: Form) -> Faults {
    let faults = Faults::default();
    let noted = faults.clone();
    std::panic::set_hook(Box::new(move |info| {
        if noted.note() {
            let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
            Printer::new(form, &mut out, &mut err).failure(&failure(info));
        }
    }));
    faults
}

fn failure(info: &PanicHookInfo<'_>) -> Failure {
    let place = info
        .location()
        .map_or_else(|| "an unknown place".to_owned(), |l| format!("{}:{}", l.file(), l.line()));
    describe(&place, info.payload().downcast_ref::<&'static str>().copied())
}

/// The failure for a panic at `place`, with its message if that stands in the source as it is.
fn describe(place: &str, message: Option<&'static str>) -> Failure {
    let message = message.map(|text| format!(": {text}")).unwrap_or_default();
    Failure {
        kind: Kind::Internal,
        message: format!("internal fault at {place}{message} (please report)"),
        hint: Some("Nothing is wrong with what you did; the session is gone.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_place() {
        let failure = describe("src/x.rs:7", Some("it cannot be"));
        assert_eq!(failure.message, "internal fault at src/x.rs:7: it cannot be (please report)");
        assert_eq!(failure.kind.code(), 70);
        assert_eq!(describe("src/x.rs:7", None).message, "internal fault at src/x.rs:7 (please report)");
    }

    #[tokio::test]
    async fn whoever_waits_hears_of_a_panic_before_and_after() {
        let faults = Faults::default();
        let waiting = tokio::spawn({
            let faults = faults.clone();
            async move { faults.happened().await }
        });
        tokio::task::yield_now().await;
        assert!(faults.note() && !faults.note(), "only the first is worth a line");
        waiting.await.unwrap();
        faults.happened().await;
    }
}
