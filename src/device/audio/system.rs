//! Listing with `cpal`: PulseAudio (and PipeWire, which answers as one), ALSA, CoreAudio, WASAPI.
//!
//! This runs in the child. A device is asked what it can do; on ALSA that opens it for a moment, without a stream.

use std::collections::HashSet;

use cpal::traits::{DeviceTrait, HostTrait};
use cpal::{Device, ErrorKind, Host, HostId};

use super::wire::{Told, bounded};
use super::{AudioDevice, AudioTrouble, Direction, Sound};

type Tell<'a> = &'a mut dyn FnMut(Told) -> std::io::Result<()>;

/// Tells every device.
pub(super) fn found(tell: &mut impl FnMut(Told) -> std::io::Result<()>) -> std::io::Result<()> {
    let (host, trouble) = host();
    tell(Told::Host(host.id().name().to_owned()))?;
    let has_server_trouble = trouble.is_some();
    trouble.into_iter().try_for_each(|trouble| tell(Told::Trouble(trouble)))?;
    let is_alsa = host.id().to_string().eq_ignore_ascii_case("alsa");
    let mut listed = Listed { is_alsa, has_server_trouble, ..Listed::default() };
    // The preferred ones first: if another one hangs, these are told.
    let input = host.default_input_device();
    let output = host.default_output_device();
    listed.defaults = [&input, &output].map(|device| device.as_ref().and_then(id));
    for device in input.iter().chain(&output) {
        listed.tell(device, tell)?;
    }
    match host.devices() {
        Ok(devices) => devices.into_iter().try_for_each(|device| listed.tell(&device, tell))?,
        Err(error) => tell(Told::Trouble(AudioTrouble::Server { what: bounded(&error.to_string()) }))?,
    }
    if listed.seen.is_empty() && !has_server_trouble {
        tell(Told::Trouble(AudioTrouble::Nothing))?;
    }
    Ok(())
}

/// The host to ask. A sound server that is there and does not answer is told, and the kernel asked in its place.
pub(super) fn host() -> (Host, Option<AudioTrouble>) {
    #[cfg(target_os = "linux")]
    if cpal::available_hosts().contains(&HostId::PulseAudio) {
        let alsa = || cpal::host_from_id(HostId::Alsa).unwrap_or_else(|_| cpal::default_host());
        return match cpal::host_from_id(HostId::PulseAudio) {
            Ok(host) => (host, None),
            Err(error) => (alsa(), Some(AudioTrouble::Server { what: bounded(&error.to_string()) })),
        };
    }
    (cpal::default_host(), None)
}

/// What was told already.
#[derive(Default)]
struct Listed {
    is_alsa: bool,
    /// Then nothing that leads to the server is asked: it would hang there.
    has_server_trouble: bool,
    /// The ids of the preferred microphone and speaker.
    defaults: [Option<String>; 2],
    /// Direction and id, and for ALSA direction and name, of what was told.
    seen: HashSet<(Direction, String)>,
}

impl Listed {
    /// Tells a device for each direction that it has, once.
    fn tell(&mut self, device: &Device, tell: Tell<'_>) -> std::io::Result<()> {
        let Some(id) = id(device) else { return Ok(()) };
        let leads_to_server = self.has_server_trouble && !id.starts_with("plughw:");
        if self.is_alsa && (!is_for_people(&id) || leads_to_server) {
            return Ok(());
        }
        let name = device.description().map_or_else(|_| id.clone(), |told| bounded(told.name()));
        for (at, direction) in [Direction::Microphone, Direction::Speaker].into_iter().enumerate() {
            let fits = match direction {
                Direction::Microphone => device.supports_input(),
                Direction::Speaker => device.supports_output(),
            };
            if !fits || self.seen.contains(&(direction, id.clone())) || self.is_alias(direction, &id, &name) {
                continue;
            }
            let is_default = self.defaults[at].as_deref() == Some(id.as_str());
            // A way to a server that is not there is no device.
            let is_way = self.is_alsa && is_way(&id);
            if let Some(asked) = asked(device, direction).filter(|asked| asked.trouble.is_none() || !is_way) {
                self.seen.insert((direction, id.clone()));
                self.seen.insert((direction, name.clone()));
                let is_monitor = direction == Direction::Microphone && id.ends_with(".monitor");
                let Asked { sound, rates, trouble } = asked;
                let (name, id) = (name.clone(), id.clone());
                tell(Told::Device(AudioDevice {
                    name,
                    id,
                    direction,
                    is_default,
                    is_monitor,
                    sound,
                    rates: rates.filter(|_| self.is_alsa),
                    trouble,
                }))?;
            }
        }
        Ok(())
    }

    /// Whether ALSA names a device a second time: by the name of its card and by its number.
    fn is_alias(&self, direction: Direction, id: &str, name: &str) -> bool {
        self.is_alsa && id.starts_with("plughw:") && self.seen.contains(&(direction, name.to_owned()))
    }
}

fn id(device: &Device) -> Option<String> {
    device.id().ok().map(|id| bounded(id.id()))
}

/// Of ALSA's names, those that a person would choose: the default, the servers, and each device with conversions.
/// `hw:` bypasses all of them and is refused by many programs' formats; the rest are parts of other names.
fn is_for_people(id: &str) -> bool {
    id == "default" || is_way(id) || id.starts_with("plughw:")
}

/// ALSA's own ways to a sound server.
fn is_way(id: &str) -> bool {
    matches!(id, "pulse" | "pipewire")
}

/// What a device said of itself.
struct Asked {
    sound: Option<Sound>,
    rates: Option<(u32, u32)>,
    trouble: Option<AudioTrouble>,
}

/// `None`: it is listed and is not there.
fn asked(device: &Device, direction: Direction) -> Option<Asked> {
    let config = match direction {
        Direction::Microphone => device.default_input_config(),
        Direction::Speaker => device.default_output_config(),
    };
    let trouble = match config {
        Ok(config) => {
            let format = config.sample_format().to_string();
            let sound = Sound { channels: config.channels(), rate: config.sample_rate(), format };
            return Some(Asked { sound: Some(sound), rates: rates(device, direction), trouble: None });
        }
        Err(error) => match error.kind() {
            ErrorKind::DeviceNotAvailable | ErrorKind::UnsupportedOperation => return None,
            ErrorKind::DeviceBusy => AudioTrouble::Busy,
            ErrorKind::PermissionDenied => AudioTrouble::NotAllowed,
            _ => AudioTrouble::Unusable { what: bounded(&error.to_string()) },
        },
    };
    Some(Asked { sound: None, rates: None, trouble: Some(trouble) })
}

fn rates(device: &Device, direction: Direction) -> Option<(u32, u32)> {
    let ranges: Vec<(u32, u32)> = match direction {
        Direction::Microphone => device
            .supported_input_configs()
            .ok()?
            .map(|range| (range.min_sample_rate(), range.max_sample_rate()))
            .collect(),
        Direction::Speaker => device
            .supported_output_configs()
            .ok()?
            .map(|range| (range.min_sample_rate(), range.max_sample_rate()))
            .collect(),
    };
    let lowest = ranges.iter().map(|(low, _)| *low).min()?;
    let highest = ranges.iter().map(|(_, high)| *high).max()?;
    Some((lowest, highest))
}
