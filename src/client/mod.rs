//! The engine: the only place where session, transport, devices and trace meet.
//!
//! Everything a face can ask is one [`Request`]; everything it can show is one [`Notice`]. Inside, a pure
//! reducer takes events and answers with effects, and one small driver for each port carries them out.

pub mod devices;
mod driver;
mod effect;
mod engine;
mod event;
pub mod notice;
pub mod request;
pub mod voice;

pub use driver::{Client, ClientConfig, DeviceLister, SpeechCommand, VoiceSettings, Watched};
pub use notice::Notice;
pub use request::Request;
