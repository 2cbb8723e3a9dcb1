//! What the engine wants done; one small driver for each port does it.

use std::time::Duration;

use super::event::{Attempt, Collection};
use super::notice::Notice;
use super::request::Orient;
use crate::protocol::card::Offer;
use crate::safe_text::SafeText;

/// One thing to be done.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Tell the faces.
    Notify(Notice),
    /// Fetch the card and judge it.
    FetchCard(Attempt),
    /// Dial the endpoint, for the session of this id (R29).
    Dial(Attempt, Box<Offer>, String),
    /// Send this text.
    Transmit(String),
    /// Close the connection in an orderly way.
    CloseLink,
    /// Let go of the connection, and of a dial or fetch under way, at once.
    DropLink,
    /// Arm the reader: one scan. `place` puts a tag on the simulated one first.
    Scan {
        /// Which collection.
        id: Collection,
        /// How long it stays armed.
        within: Duration,
        /// A tag for the simulated reader.
        place: Option<String>,
    },
    /// Arm the camera and open it. `show` puts a picture before the simulated one first.
    Aim {
        /// Which collection.
        id: Collection,
        /// How long it stays armed.
        within: Duration,
        /// A picture for the simulated camera.
        show: Option<String>,
    },
    /// Take the picture and close the camera.
    Shutter(Collection),
    /// Turn the reviewed photo, and fit it anew.
    Orient(Collection, Orient),
    /// Disarm whatever is armed; a camera closes.
    Disarm,
    /// Forget the captured picture.
    ForgetPicture,
    /// Put a tag on the simulated reader.
    Place(String),
    /// Open the microphone. Nothing of it leaves yet.
    OpenMicrophone {
        /// Which turn.
        id: Collection,
        /// How long it may stay open.
        within: Duration,
        /// A sound file in place of the chosen one.
        file: Option<String>,
    },
    /// From now on what the microphone records is sent, from the first sample of it.
    SendSound(Collection),
    /// Close the microphone: once this is carried out no sound leaves any more.
    CloseMicrophone {
        /// Which turn.
        id: Collection,
        /// Whether what is recorded by now is sent; else it is thrown away.
        flush: bool,
    },
    /// Speak this text, after those before it. The numbers count up.
    Speak(u64, SafeText),
    /// Stop speaking, and forget what waits to be spoken.
    StopSpeaking,
    /// Read a passport file.
    ReadPassport(Collection, String),
    /// List the devices and tell of changes, until told otherwise. Asked again, it begins anew.
    ListDevices,
    /// List them no more.
    EndList,
    /// Stop the engine.
    Stop,
}
