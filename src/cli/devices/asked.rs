//! Which devices were asked for by name, and whether they are there. Pure.

use std::convert::Infallible;

use super::inventory::{Facts, Found, Inventory, SORTS, Section};
use crate::cli::exit::{Failure, Kind};
use crate::client::devices::DeviceSort;
use crate::device::audio;
use crate::device::nfc::{SelectError, select, select_reader};
use crate::words::sentence;

/// The name that stands for whatever real device is there.
pub const AUTO: &str = "auto";
/// The name that stands for simulated devices.
pub const SIMULATED: &str = "simulated";

/// The names that were given, for each sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Of readers.
    pub readers: Vec<String>,
    /// Of a camera.
    pub camera: Option<String>,
    /// Of a microphone.
    pub microphone: Option<String>,
    /// Of a speaker.
    pub speaker: Option<String>,
}

impl Asked {
    /// The names for a sort.
    pub fn names(&self, sort: DeviceSort) -> &[String] {
        match sort {
            DeviceSort::Reader => &self.readers,
            DeviceSort::Camera => self.camera.as_slice(),
            DeviceSort::Microphone => self.microphone.as_slice(),
            DeviceSort::Speaker => self.speaker.as_slice(),
        }
    }

    /// The sorts to look for: those of which something is named, or else all.
    pub fn sorts(&self) -> Vec<DeviceSort> {
        let named: Vec<DeviceSort> = SORTS.into_iter().filter(|sort| !self.names(*sort).is_empty()).collect();
        if named.is_empty() { SORTS.to_vec() } else { named }
    }

    /// What was asked for out of what was found; everything where nothing is named.
    ///
    /// # Errors
    /// [`Kind::Device`] naming what there is, for the first name that nothing or too much fits.
    pub fn narrow(&self, inventory: &Inventory) -> Result<Inventory, Failure> {
        self.narrowed(inventory, find)
    }

    /// What of it is there now, and the names of the others, which may come later.
    ///
    /// # Errors
    /// [`Kind::Device`] naming what there is, for the first name that too much fits.
    pub fn narrow_to_come(&self, inventory: &Inventory) -> Result<(Inventory, Vec<Awaited>), Failure> {
        let mut awaited = Vec::new();
        let narrowed = self.narrowed(inventory, |name, section| match look(name, section) {
            Ok(found) => Ok(found),
            Err(error @ SelectError::Ambiguous { .. }) => Err(missing(name, &error, section)),
            Err(_) => {
                awaited.push(Awaited { sort: section.sort, name: name.to_owned() });
                Ok(Vec::new())
            }
        })?;
        Ok((narrowed, awaited))
    }

    /// What of it is there now, where it changes: everything that a name fits, if it fits several by now.
    pub fn now(&self, inventory: &Inventory) -> Inventory {
        let now = self.narrowed(inventory, |name, section| {
            Ok::<_, Infallible>(match look(name, section) {
                Ok(found) => found,
                Err(SelectError::Ambiguous { fitting, .. }) => {
                    section.devices.iter().filter(|found| fitting.contains(&found.name)).cloned().collect()
                }
                Err(_) => Vec::new(),
            })
        });
        now.unwrap_or_else(|never| match never {})
    }

    fn narrowed<E>(
        &self,
        inventory: &Inventory,
        mut find: impl FnMut(&str, &Section) -> Result<Vec<Found>, E>,
    ) -> Result<Inventory, E> {
        let mut narrowed = |section: &Section| {
            let names = self.names(section.sort);
            if names.is_empty() {
                return Ok(section.clone());
            }
            let mut devices: Vec<Found> = Vec::new();
            for name in names {
                for found in find(name, section)? {
                    if !devices.contains(&found) {
                        devices.push(found);
                    }
                }
            }
            // Whoever asks for simulated ones need not know what real ones suffer from.
            let only_simulated = !devices.is_empty() && devices.iter().all(Found::is_simulated);
            let troubles = if only_simulated { Vec::new() } else { section.troubles.clone() };
            Ok(Section { devices, troubles, ..section.clone() })
        };
        let sections = inventory.sections.iter().map(&mut narrowed).collect::<Result<_, E>>()?;
        Ok(Inventory { sections })
    }
}

/// A name that nothing fits yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Of what.
    pub sort: DeviceSort,
    /// As it was asked for.
    pub name: String,
}

/// The devices of a section that a name means; at least one.
///
/// # Errors
/// [`Kind::Device`] naming what there is.
pub fn find(name: &str, section: &Section) -> Result<Vec<Found>, Failure> {
    look(name, section).map_err(|error| missing(name, &error, section))
}

fn look(name: &str, section: &Section) -> Result<Vec<Found>, SelectError> {
    if section.sort == DeviceSort::Camera && name.starts_with("file:") {
        let facts = Facts::Simulated("a picture");
        return Ok(vec![Found { name: name.to_owned(), facts, trouble: None }]);
    }
    let by_word = by_word(name, section);
    if !by_word.is_empty() {
        return Ok(by_word);
    }
    let names: Vec<&str> = section.devices.iter().map(|found| found.name.as_str()).collect();
    // A format may stand behind a camera's name: `HD Webcam@MJPG 640x480`.
    let camera =
        name.rsplit_once('@').filter(|_| section.sort == DeviceSort::Camera).map(|(camera, _)| camera);
    let at = match section.sort {
        DeviceSort::Reader => select_reader(name, &names),
        _ => select(name, &names),
    };
    let at = at.or_else(|error| match camera {
        Some(camera) => {
            look(camera, section).ok().and_then(|f| names.iter().position(|n| *n == f[0].name)).ok_or(error)
        }
        None => Err(error),
    })?;
    Ok(vec![section.devices[at].clone()])
}

/// Those that a word means: `simulated`, `auto`, `default`, a node, an id.
fn by_word(name: &str, section: &Section) -> Vec<Found> {
    let first =
        |is: &dyn Fn(&Found) -> bool| section.devices.iter().find(|f| is(f)).cloned().into_iter().collect();
    let is_default = |found: &Found| matches!(&found.facts, Facts::Audio(device) if device.is_default);
    match (name, section.sort) {
        (SIMULATED, _) => first(&Found::is_simulated),
        (AUTO, DeviceSort::Reader) => {
            let is_for_tags =
                |found: &&Found| matches!(found.facts, Facts::Reader(kind) if kind.is_for_tags());
            section.devices.iter().filter(is_for_tags).cloned().collect()
        }
        (AUTO, DeviceSort::Camera) => first(&|found| !found.is_simulated() && found.trouble.is_none()),
        (AUTO | audio::DEFAULT, _) => first(&is_default),
        _ => first(&|found| match &found.facts {
            Facts::Camera(camera) => camera.node == name,
            Facts::Audio(device) => device.id == name,
            _ => false,
        }),
    }
}

fn missing(name: &str, error: &SelectError, section: &Section) -> Failure {
    let sort = super::records::sort(section.sort);
    let list = |names: &[String]| names.join(", ");
    let message = match error {
        SelectError::Ambiguous { fitting, .. } if name != AUTO => {
            let message =
                format!("\"{name}\" fits several {sort}s: {}; give more of the name", list(fitting));
            return Failure::new(Kind::Device, message);
        }
        _ if name == AUTO => format!("there is no {sort} that {AUTO} could choose"),
        _ if section.devices.is_empty() => format!("there is no {sort} \"{name}\"; there is none at all"),
        _ => {
            let there: Vec<String> = section.devices.iter().map(|found| found.name.clone()).collect();
            format!("there is no {sort} \"{name}\"; there are: {}", list(&there))
        }
    };
    // What is wrong with all of them is the likely reason, and mending it comes first.
    match section.troubles.first() {
        None => Failure::new(Kind::Device, message),
        Some(trouble) => Failure::new(Kind::Device, format!("{} {}", trouble.text, sentence(&message)))
            .hint(trouble.hint.as_deref().map(sentence)),
    }
}
