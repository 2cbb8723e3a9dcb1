//! What answers for hardware which this build cannot reach.

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

#[cfg(not(feature = "nfc"))]
pub use without::{Choice, PcscReaders, readers, watch};

/// What stands for PC/SC in a build without the feature `nfc`.
#[cfg(not(feature = "nfc"))]
mod without {
    use std::time::Duration;

    use futures_util::future::BoxFuture;
    use tokio::sync::watch;

    use super::super::{NfcError, NfcReader, ReaderTrouble, Readers, Scanned, Told};
    use crate::device::consent::Armed;

    /// The readers that the user chose.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Choice {
        /// Every reader that may be for tags.
        Auto,
        /// Those of these names.
        Named(Vec<String>),
    }

    /// Says, at every scan, that there is no PC/SC.
    #[derive(Debug)]
    pub struct PcscReaders(String);

    impl PcscReaders {
        /// Stands for the chosen readers.
        pub fn new(choice: Choice) -> Self {
            Self(match choice {
                Choice::Auto => "any contactless reader".to_owned(),
                Choice::Named(names) => names.join(", "),
            })
        }
    }

    /// No readers, and why.
    pub fn readers(_within: Duration) -> Readers {
        Readers { trouble: Some(ReaderTrouble::NotBuilt), readers: Vec::new() }
    }

    /// No readers, and why; it never changes again.
    pub fn watch() -> watch::Receiver<Readers> {
        let (tell, told) = watch::channel(Readers::default());
        tell.send_replace(readers(Duration::ZERO));
        told
    }

    impl NfcReader for PcscReaders {
        fn name(&self) -> &str {
            &self.0
        }

        fn is_simulated(&self) -> bool {
            false
        }

        fn label(&self) -> String {
            format!("{} (not available)", self.0)
        }

        fn scan<'a>(&'a mut self, _: &'a Armed, _: Told) -> BoxFuture<'a, Result<Scanned, NfcError>> {
            Box::pin(std::future::ready(Err(NfcError::Trouble(ReaderTrouble::NotBuilt))))
        }
    }
}
