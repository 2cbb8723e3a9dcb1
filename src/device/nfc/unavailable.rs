//! The reader that answers for hardware which this build cannot reach.

use futures_util::future::BoxFuture;

use super::simulated::NAME as SIMULATED;
use super::{NfcError, NfcReader, Scanned, Told};
use crate::device::consent::Armed;

/// Stands in for a reader of that name and says, at every scan, why there is none.
#[derive(Clone, Debug)]
pub struct UnavailableReader {
    name: String,
}

impl UnavailableReader {
    /// Answers for `name`.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }
}

impl NfcReader for UnavailableReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_simulated(&self) -> bool {
        false
    }

    fn label(&self) -> String {
        format!("{} (not available)", self.name)
    }

    fn scan<'a>(&'a mut self, _armed: &'a Armed, _told: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
        let why = format!("this build has no PC/SC support yet. Available: {SIMULATED}.");
        let name = self.name.clone();
        Box::pin(std::future::ready(Err(NfcError::Unavailable { name, why })))
    }
}
