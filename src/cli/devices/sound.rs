//! Choosing the microphone and the speaker of a session by name.

use super::asked::{AUTO, find};
use super::choice::Absent;
use super::inventory::{self, Heard, Inventory};
use super::surroundings::Surroundings;
use crate::cli::exit::{Failure, Kind};
use crate::client::devices::DeviceSort;
use crate::device::audio::{
    AudioError, AudioProgram, AudioTrouble, DEFAULT, Microphone, RealMicrophone, RealSpeaker,
    SimulatedMicrophone, SimulatedSpeaker, Speaker,
};

/// The microphone of a name: `simulated`, `silence`, `tone:HZ`, `file:PATH`, `auto` or `default`, or a real one's.
///
/// # Errors
/// [`Kind::Device`] for a name that means nothing, and, where `absent` does not allow it, that no device has.
pub async fn microphone(name: &str, absent: Absent) -> Result<Box<dyn Microphone>, Failure> {
    if let Some(simulated) = SimulatedMicrophone::named(name) {
        return simulated.map(|it| Box::new(it) as Box<dyn Microphone>).map_err(|error| failed(&error));
    }
    let name = real(name, DeviceSort::Microphone, absent).await?;
    let real = RealMicrophone::new(name, AudioProgram::this());
    Ok(Box::new(if is_built() { real } else { real.absent(AudioTrouble::NotBuilt) }))
}

/// The speaker of a name: `simulated`, `file:PATH`, `auto` or `default`, or a real one's.
///
/// # Errors
/// As [`microphone`].
pub async fn speaker(name: &str, absent: Absent) -> Result<Box<dyn Speaker>, Failure> {
    if let Some(simulated) = SimulatedSpeaker::named(name) {
        return simulated.map(|it| Box::new(it) as Box<dyn Speaker>).map_err(|error| failed(&error));
    }
    let name = real(name, DeviceSort::Speaker, absent).await?;
    let real = RealSpeaker::new(name, AudioProgram::this());
    Ok(Box::new(if is_built() { real } else { real.absent(AudioTrouble::NotBuilt) }))
}

const fn is_built() -> bool {
    cfg!(feature = "audio")
}

/// The name as the device is opened by it. Where the device may come, nothing is asked now: a sound server that is frozen
/// would keep the screen waiting.
async fn real(name: &str, sort: DeviceSort, absent: Absent) -> Result<&str, Failure> {
    let name = name.trim();
    let name =
        if name.eq_ignore_ascii_case(AUTO) || name.eq_ignore_ascii_case(DEFAULT) { DEFAULT } else { name };
    if absent == Absent::Fails {
        let heard = Heard { audio: Some(inventory::sound().await), ..Heard::default() };
        let inventory = Inventory::of(&heard, &Surroundings::here());
        find(name, inventory.section(sort).expect("it was asked for"))?;
    }
    Ok(name)
}

fn failed(error: &AudioError) -> Failure {
    Failure::new(Kind::Device, error.to_string()).hint(error.hint().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn simulated_sound_is_chosen_by_words_and_labelled() {
        for (name, label) in [
            ("simulated", "SIMULATED tone 440 Hz"),
            ("silence", "SIMULATED silence"),
            ("tone:1000", "SIMULATED tone 1000 Hz"),
            ("file:hello.wav", "SIMULATED hello.wav"),
        ] {
            let microphone = microphone(name, Absent::Fails).await.unwrap();
            assert_eq!((microphone.label().as_str(), microphone.is_simulated()), (label, true));
        }
        let speaker = speaker("simulated", Absent::Fails).await.unwrap();
        assert_eq!((speaker.label().as_str(), speaker.is_simulated()), ("SIMULATED nowhere", true));
        let wrong = microphone("tone:loud", Absent::MayCome).await.err().unwrap();
        assert_eq!(wrong.kind, Kind::Device);
    }

    #[tokio::test]
    async fn a_real_one_may_come_or_is_a_failure_to_a_script() {
        let speaker = speaker("auto", Absent::MayCome).await.unwrap();
        assert_eq!((speaker.label().as_str(), speaker.is_simulated()), ("default", false));
        let missing = microphone("No Such Microphone", Absent::Fails).await.err().unwrap();
        assert!(
            missing.kind == Kind::Device && missing.message.contains("No Such Microphone"),
            "{missing:?}"
        );
        let microphone = microphone("No Such Microphone", Absent::MayCome).await.unwrap();
        assert!(!microphone.is_simulated());
    }
}
