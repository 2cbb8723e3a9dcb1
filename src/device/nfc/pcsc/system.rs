//! The system's PC/SC through the `pcsc` library.

use std::ffi::{CStr, CString};
use std::time::Duration;

use pcsc::{Disposition, Error, Protocols, ReaderState, Scope, ShareMode, State};
use zeroize::Zeroizing;

use super::super::flow::link::{Card, CardError};
use super::super::trouble::ReaderTrouble;
use super::service::{Change, Context, PcscError, Service, Slot, Waker, Watch};

/// Largest answer that is taken: a short APDU's, with room for readers that give more.
const ANSWER_BYTES: usize = 4096;

/// The system's service.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Service for System {
    fn establish(&self) -> Result<Box<dyn Context>, PcscError> {
        let context = pcsc::Context::establish(Scope::User).map_err(error)?;
        Ok(Box::new(SystemContext(context)))
    }
}

struct SystemContext(pcsc::Context);

impl Context for SystemContext {
    fn readers(&self) -> Result<Vec<String>, PcscError> {
        match self.0.list_readers_owned() {
            Ok(names) => Ok(names.iter().map(|name| shown(name)).collect()),
            Err(Error::NoReadersAvailable) => Ok(Vec::new()),
            Err(other) => Err(error(other)),
        }
    }

    fn watch(&self, readers: &[String], plugging: bool) -> Box<dyn Watch> {
        let named = readers.iter().filter_map(|name| CString::new(name.as_str()).ok());
        let mut states: Vec<ReaderState> = named.map(|name| ReaderState::new(name, State::UNAWARE)).collect();
        if plugging {
            states.push(ReaderState::new(pcsc::PNP_NOTIFICATION(), State::UNAWARE));
        }
        Box::new(SystemWatch { context: self.0.clone(), states })
    }

    fn connect(&self, reader: &str) -> Result<Box<dyn Card>, PcscError> {
        let name = CString::new(reader).map_err(|_| PcscError::NoSuchReader)?;
        let card = self.0.connect(&name, ShareMode::Shared, Protocols::ANY).map_err(error)?;
        Ok(Box::new(SystemCard { card: Some(card), reader: reader.to_owned() }))
    }

    fn waker(&self) -> Box<dyn Waker> {
        Box::new(SystemWaker(self.0.clone()))
    }
}

struct SystemWaker(pcsc::Context);

impl Waker for SystemWaker {
    fn wake(&self) {
        // Where nobody waits there is nothing to end; the caller asks again until the waiter has heard.
        let _nobody_waits = self.0.cancel();
    }
}

struct SystemWatch {
    context: pcsc::Context,
    states: Vec<ReaderState>,
}

impl Watch for SystemWatch {
    fn wait(&mut self, within: Duration) -> Result<Vec<Change>, PcscError> {
        match self.context.get_status_change(within, &mut self.states) {
            Ok(()) => {}
            Err(Error::Timeout) => return Ok(Vec::new()),
            Err(Error::UnknownReader) if self.is_plugging_unknown() => return Err(PcscError::NoPlugging),
            Err(other) => return Err(error(other)),
        }
        let changed = |state: &&ReaderState| state.event_state().contains(State::CHANGED);
        let changes = self.states.iter().filter(changed).map(change).collect::<Result<_, _>>()?;
        for state in &mut self.states {
            state.sync_current_state();
        }
        Ok(changes)
    }
}

impl SystemWatch {
    /// Whether it is the pseudo reader that the service does not know, and not one that was just pulled out.
    fn is_plugging_unknown(&self) -> bool {
        let pseudo = || ReaderState::new(pcsc::PNP_NOTIFICATION(), State::UNAWARE);
        self.states.iter().any(|state| state.name() == pcsc::PNP_NOTIFICATION())
            && self.context.get_status_change(Duration::ZERO, &mut [pseudo()]) == Err(Error::UnknownReader)
    }
}

fn change(state: &ReaderState) -> Result<Change, PcscError> {
    let now = state.event_state();
    if state.name() == pcsc::PNP_NOTIFICATION() {
        return plugging(now);
    }
    if now.intersects(State::UNKNOWN | State::IGNORE) {
        return Ok(Change::Plugged);
    }
    Ok(Change::Slot(Slot {
        reader: shown(state.name()),
        present: now.contains(State::PRESENT),
        mute: now.contains(State::MUTE),
        atr: state.atr().to_vec(),
        count: u16::try_from(state.event_count()).unwrap_or_default(),
    }))
}

/// What the pseudo reader says. A service that does not tell of readers takes it for one that it does not know: macOS.
fn plugging(now: State) -> Result<Change, PcscError> {
    if now.contains(State::UNKNOWN) { Err(PcscError::NoPlugging) } else { Ok(Change::Plugged) }
}

/// A reader's name as it is compared and shown. Names are ASCII in practice; another byte becomes a mark.
fn shown(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

struct SystemCard {
    /// Always there until it is dropped.
    card: Option<pcsc::Card>,
    reader: String,
}

impl Card for SystemCard {
    fn transmit(&mut self, command: &[u8]) -> Result<Zeroizing<Vec<u8>>, CardError> {
        let Some(card) = &self.card else { return Err(CardError::Gone) };
        let mut buffer = Zeroizing::new(vec![0; ANSWER_BYTES]);
        // `transmit` uses the protocol that was negotiated at the connection (A17).
        match card.transmit(command, &mut buffer) {
            Ok(answer) => Ok(Zeroizing::new(answer.to_vec())),
            Err(code) => Err(card_error(code, &self.reader)),
        }
    }

    fn reconnect(&mut self) -> Result<(), CardError> {
        let Some(card) = &mut self.card else { return Err(CardError::Gone) };
        card.reconnect(ShareMode::Shared, Protocols::ANY, Disposition::ResetCard)
            .map_err(|code| card_error(code, &self.reader))
    }
}

impl Drop for SystemCard {
    fn drop(&mut self) {
        if let Some(Err((card, _))) = self.card.take().map(|card| card.disconnect(Disposition::LeaveCard)) {
            // The tag or the service is gone, and the handle with it: dropping it would only ask once more.
            std::mem::forget(card);
        }
    }
}

/// What an error in the middle of a read means.
fn card_error(code: Error, reader: &str) -> CardError {
    match code {
        Error::RemovedCard | Error::NoSmartcard | Error::NotTransacted | Error::UnpoweredCard => {
            CardError::Gone
        }
        Error::ResetCard => CardError::Reset,
        // Drivers answer so when the tag leaves the field in the middle of an exchange.
        Error::UnresponsiveCard | Error::CommDataLost => CardError::Gone,
        Error::ReaderUnavailable | Error::UnknownReader => {
            CardError::Trouble(ReaderTrouble::Unplugged { reader: reader.to_owned() })
        }
        Error::NoService | Error::ServiceStopped | Error::InvalidHandle | Error::CommError => {
            CardError::Trouble(ReaderTrouble::Lost)
        }
        Error::SharingViolation => {
            CardError::Trouble(ReaderTrouble::Busy { reader: reader.to_owned(), holders: Vec::new() })
        }
        other => CardError::Trouble(ReaderTrouble::Other {
            what: "a command to the tag failed",
            code: other.to_string(),
        }),
    }
}

fn error(code: Error) -> PcscError {
    match code {
        Error::NoService => PcscError::NotRunning,
        Error::ServiceStopped | Error::InvalidHandle | Error::CommError | Error::Shutdown => PcscError::Lost,
        Error::SecurityViolation | Error::NoAccess => PcscError::NotAllowed,
        Error::Cancelled | Error::CancelledByUser => PcscError::Cancelled,
        Error::UnknownReader | Error::ReaderUnavailable => PcscError::NoSuchReader,
        Error::NoSmartcard | Error::RemovedCard | Error::NotTransacted => PcscError::NoTag,
        Error::SharingViolation => PcscError::Busy,
        Error::UnresponsiveCard | Error::UnpoweredCard | Error::UnsupportedCard | Error::ProtoMismatch => {
            PcscError::Mute
        }
        other => PcscError::Other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of the field reports, as numbers: A1, A2, A4, A5, A7, A14.
    #[test]
    fn each_code_of_the_service_means_what_the_field_saw() {
        let codes: [(u32, PcscError); 9] = [
            (0x8010_001D, PcscError::NotRunning),
            (0x8010_001E, PcscError::Lost),
            (0x8010_0003, PcscError::Lost),
            (0x8010_0013, PcscError::Lost),
            (0x8010_006A, PcscError::NotAllowed),
            (0x8010_0009, PcscError::NoSuchReader),
            (0x8010_000C, PcscError::NoTag),
            (0x8010_000B, PcscError::Busy),
            (0x8010_0066, PcscError::Mute),
        ];
        for (code, expected) in codes {
            assert_eq!(error(of(code)), expected, "{code:#X}");
        }
        assert!(matches!(error(of(0x8010_0001)), PcscError::Other(_)));
    }

    #[test]
    fn each_code_in_the_middle_of_a_read_means_what_the_field_saw() {
        let is = |code| card_error(of(code), "ACS");
        // Taken off: between two commands, in the middle of one, and what drivers make of it.
        for code in [0x8010_0069, 0x8010_000C, 0x8010_0016, 0x8010_0067, 0x8010_0066, 0x8010_002F] {
            assert!(matches!(is(code), CardError::Gone), "{code:#X}");
        }
        assert!(matches!(is(0x8010_0068), CardError::Reset));
        for code in [0x8010_0017, 0x8010_0009] {
            let unplugged = is(code);
            assert!(
                matches!(&unplugged, CardError::Trouble(ReaderTrouble::Unplugged { reader }) if reader == "ACS"),
                "{code:#X}"
            );
        }
        for code in [0x8010_001D, 0x8010_001E, 0x8010_0003, 0x8010_0013] {
            assert!(matches!(is(code), CardError::Trouble(ReaderTrouble::Lost)), "{code:#X}");
        }
        assert!(matches!(is(0x8010_000B), CardError::Trouble(ReaderTrouble::Busy { .. })));
    }

    #[test]
    fn a_service_that_does_not_know_the_pseudo_reader_tells_of_no_plugging() {
        assert_eq!(plugging(State::CHANGED | State::UNKNOWN), Err(PcscError::NoPlugging));
        assert_eq!(plugging(State::CHANGED), Ok(Change::Plugged));
    }

    /// The code as the library knows it.
    fn of(code: u32) -> Error {
        use Error::{
            CommDataLost, CommError, InternalError, InvalidHandle, NoService, NoSmartcard, NotTransacted,
            ReaderUnavailable, RemovedCard, ResetCard, SecurityViolation, ServiceStopped, SharingViolation,
            UnknownReader, UnpoweredCard, UnresponsiveCard,
        };
        let known = [
            CommDataLost,
            CommError,
            InternalError,
            InvalidHandle,
            NoService,
            NoSmartcard,
            NotTransacted,
            ReaderUnavailable,
            RemovedCard,
            ResetCard,
            SecurityViolation,
            ServiceStopped,
            SharingViolation,
            UnknownReader,
            UnpoweredCard,
            UnresponsiveCard,
        ];
        *known.iter().find(|error| **error as u32 == code).expect("it stands in the list")
    }
}
