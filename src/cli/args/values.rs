//! Values that have names: read by our own words, and listed so that shells complete them.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};

use crate::agent::{Fault, Transports};
use crate::protocol::{Modalities, Modality};

/// Reads a value with `read`; `names` are what a shell offers, and need not be all that is accepted.
#[derive(Clone)]
pub struct Named<T> {
    read: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<PossibleValue>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter()))
    }
}

/// Modalities: names with commas between them, or `none`.
pub fn modalities() -> Named<Modalities> {
    Named {
        read: read_modalities,
        names: || ["nfc", "photo", "nfc,photo", "none"].map(PossibleValue::new).to_vec(),
    }
}

/// One fault, by its name.
pub fn faults() -> Named<Fault> {
    Named {
        read: read_fault,
        names: || {
            Fault::ALL.iter().map(|fault| PossibleValue::new(fault.name()).help(fault.help())).collect()
        },
    }
}

/// A transport of the demo's agent.
pub fn transport() -> Named<Transports> {
    Named {
        read: |text| read_transport(text, false),
        names: || TRANSPORTS[..2].iter().map(|t| PossibleValue::new(t.0)).collect(),
    }
}

/// The transports of an agent that is served.
pub fn transports() -> Named<Transports> {
    Named {
        read: |text| read_transport(text, true),
        names: || TRANSPORTS.iter().map(|t| PossibleValue::new(t.0)).collect(),
    }
}

const TRANSPORTS: [(&str, Transports); 3] =
    [("websocket", Transports::WebSocket), ("webrtc", Transports::WebRtc), ("both", Transports::Both)];

fn read_transport(text: &str, both: bool) -> Result<Transports, String> {
    let known = TRANSPORTS.iter().find(|(name, which)| *name == text && (both || *which != Transports::Both));
    let Some((_, which)) = known else {
        let also = if both { ", webrtc or both" } else { " or webrtc" };
        return Err(format!("expected websocket{also}"));
    };
    if *which != Transports::WebSocket && !cfg!(feature = "webrtc") {
        return Err("this build was made without the feature webrtc".to_owned());
    }
    Ok(*which)
}

fn read_modalities(text: &str) -> Result<Modalities, String> {
    if text == "none" {
        return Ok(Modalities::NONE);
    }
    text.split(',').try_fold(Modalities::NONE, |set, name| match Modality::from_name(name.trim()) {
        Some(modality) => Ok(set.with(modality)),
        None => Err("expected nfc, photo, nfc,photo or none".to_owned()),
    })
}

fn read_fault(text: &str) -> Result<Fault, String> {
    Fault::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        format!("there is no such fault; there are: {}", names.join(", "))
    })
}

/// The faults with what they do, for the help.
pub fn faults_help() -> String {
    let width = Fault::ALL.iter().map(|fault| fault.name().len()).max().unwrap_or(0);
    let lines = Fault::ALL.iter().map(|fault| format!("\n  {:width$}  {}", fault.name(), fault.help()));
    format!("Faults, for people who write clients:{}", lines.collect::<String>())
}
