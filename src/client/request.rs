//! Everything that a face can ask.

use crate::protocol::observation::Intent;

/// One wish of the user, or of a scenario step.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Fetch the card, check it, dial, start a session. On a live session: refused.
    Connect,
    /// Drop the session, if there is one, and connect anew: a new session (R27).
    Reconnect,
    /// Drop the session without `session.end`.
    Disconnect,
    /// A turn of text.
    Say(String),
    /// `response.cancel`; it stops the local speech too.
    Cancel,
    /// Stop the local speech, and tell the agent nothing of it.
    StopSpeaking,
    /// `session.end`, then close.
    End,
    /// Forget the turn that waits for the active run.
    DropHeld,
    /// Send a frame past the gate; marked in trace and on screen.
    Deliberate(String),
    /// Arm the reader for one scan.
    ArmScan(Aim),
    /// Arm the camera for one capture: opens it and shows the preview.
    ArmCapture(Aim),
    /// Stop whatever is armed; the camera closes.
    Disarm,
    /// Take the picture; the camera closes.
    Shutter,
    /// Put a tag on the simulated reader: a path or `uid=HEX`.
    PlaceTag(String),
    /// Arm the modality that the reviewed observation does not hold yet, to combine both.
    AddOther,
    /// The next intent for the reviewed observation.
    NextIntent,
    /// Turn or mirror the picture: while aiming, and of the reviewed photo.
    Orient(Orient),
    /// Send an alias of the reviewed tag although the tag has no stable identity: it names this one tap (R10).
    Insist,
    /// Attach a passport file to the reviewed object (R19).
    AttachPassport(String),
    /// Send the reviewed observation.
    SendReviewed,
    /// Drop the reviewed observation; its image is forgotten.
    DropReviewed,
    /// Collect and send in one step: what a scenario does.
    Observe(Observe),
    /// Open the microphone for one spoken turn.
    Talk(Talk),
    /// End the spoken turn: the microphone closes, its last packet goes, then it is committed.
    TalkDone,
    /// Drop the spoken turn: the microphone closes, and the turn is cancelled.
    TalkDropped,
    /// List every device, and tell of changes until [`Request::EndDevices`]. Asked again, it looks anew.
    ListDevices,
    /// Nobody looks at the list of devices any more.
    EndDevices,
    /// The terminal gained or lost the focus, or is suspended (R33): losing it disarms everything.
    Foreground(bool),
    /// End what runs and stop the engine.
    Quit,
}

/// What is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// A sound file in place of the chosen microphone.
    pub file: Option<String>,
    /// Whether the end of a recording ends the turn.
    pub to_end: bool,
}

/// Whether a collection answers the pending request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// It answers the pending request if that asks for this modality.
    #[default]
    Answering,
    /// It answers nothing.
    Unrelated,
}

/// How to turn a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orient {
    /// A quarter turn counter-clockwise.
    Left,
    /// A quarter turn clockwise.
    Right,
    /// Left and right swapped.
    Mirror,
}

/// One whole observation, described beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Observe {
    /// A tag for the simulated reader: a path or `uid=HEX`; `Some("")` reads whatever is on the chosen reader.
    pub tag: Option<String>,
    /// A picture for the simulated camera: a path; `Some("")` takes what the chosen camera sees.
    pub picture: Option<String>,
    /// Why it is shown.
    pub intent: Intent,
    /// Whether it answers the pending request.
    pub aim: Aim,
    /// A passport file.
    pub passport: Option<String>,
    /// Whether an alias is sent of a tag without a stable identity too.
    pub insist: bool,
}
