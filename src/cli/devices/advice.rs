//! What is wrong with a whole sort of devices, and what to do about it on this machine. Pure.

use super::surroundings::{Surroundings, UsbDevice};
use crate::client::devices::Trouble;
use crate::device::audio::AudioTrouble;
use crate::device::camera::{CameraTrouble, Listing};
use crate::device::nfc::{ReaderTrouble, Readers};
use crate::words::sentence;

/// What is wrong with readers: with the service, and with what is on USB and not in its list.
pub fn of_readers(readers: &Readers, around: &Surroundings) -> Vec<Trouble> {
    let is_absent =
        matches!(readers.trouble, None | Some(ReaderTrouble::NoReader)) && readers.readers.is_empty();
    let trouble = match &readers.trouble {
        None if is_absent => Some(ReaderTrouble::NoReader),
        other => other.clone(),
    };
    let held: Vec<Trouble> = around.held_by_kernel().map(|(usb, driver)| held(usb, driver)).collect();
    let unlisted = around.readers.iter().filter(|usb| is_absent && usb.kernel_driver().is_none());
    let unlisted: Vec<Trouble> = unlisted.map(|usb| unlisted_reader(usb, around)).collect();
    // Where it is known what is plugged in and why it is not listed, "no reader" would be wrong.
    let is_explained =
        matches!(trouble, Some(ReaderTrouble::NoReader)) && !(held.is_empty() && unlisted.is_empty());
    let service = trouble.filter(|_| !is_explained).map(|trouble| {
        let hint = service_hint(&trouble, around).or_else(|| trouble.hint());
        Trouble::new(sentence(&trouble.to_string()), hint)
    });
    service.into_iter().chain(held).chain(unlisted).collect()
}

fn held(usb: &UsbDevice, driver: &str) -> Trouble {
    let text = format!(
        "{} ({}) is held by the kernel's own NFC driver {driver}, so PC/SC cannot have it",
        usb.name, usb.ids
    );
    let hint = format!(
        "`sudo modprobe -r {driver}`; to keep it away: `echo blacklist {driver} | sudo tee /etc/modprobe.d/nfc-readers.conf`"
    );
    Trouble::new(sentence(&text), Some(hint))
}

fn unlisted_reader(usb: &UsbDevice, around: &Surroundings) -> Trouble {
    let text = format!("{} ({}) is plugged in, and PC/SC does not list it", usb.name, usb.ids);
    let package = if usb.ids.starts_with("072f:") { "libacsccid1 (or libccid)" } else { "libccid" };
    let hint = match around.install {
        Some("sudo apt install") => {
            format!("its driver may be missing: install {package}, then restart pcscd")
        }
        Some(_) => "its driver may be missing: install the package ccid, then restart pcscd".to_owned(),
        None => "its driver may be missing, or no driver knows it".to_owned(),
    };
    Trouble::new(sentence(&text), Some(hint))
}

/// What helps on this very machine, where more is known than in general.
fn service_hint(trouble: &ReaderTrouble, around: &Surroundings) -> Option<String> {
    match trouble {
        ReaderTrouble::NotRunning | ReaderTrouble::Lost => not_running(around),
        ReaderTrouble::Frozen { .. } if around.has_systemd => {
            Some("`sudo systemctl restart pcscd`; it is picked up at once".to_owned())
        }
        ReaderTrouble::NotAllowed if around.over_ssh => Some(
            "this is an ssh session, which polkit does not count as being at the machine: allow \
             org.debian.pcsc-lite.access_pcsc and access_card for this user in /etc/polkit-1/rules.d, or work at the \
             machine itself"
                .to_owned(),
        ),
        ReaderTrouble::NotAllowed if around.in_container => {
            Some("in a container polkit refuses: start pcscd with --disable-polkit, or run as its user".to_owned())
        }
        ReaderTrouble::NoReader if around.in_windows => {
            Some("Windows keeps USB for itself: `usbipd attach --wsl --busid …` hands a reader over".to_owned())
        }
        ReaderTrouble::NoReader if around.in_container => {
            Some("a container sees the host's readers only through its pcscd: mount /run/pcscd into it".to_owned())
        }
        // Whether the kernel holds one was looked at.
        ReaderTrouble::NoReader => Some("plug one in; it is picked up at once".to_owned()),
        _ => None,
    }
}

fn not_running(around: &Surroundings) -> Option<String> {
    if around.pcsc_socket.as_deref() == Some("") {
        // The library of PC/SC takes it as it is.
        return Some("PCSCLITE_CSOCK_NAME is set and empty, so no service is found: unset it".to_owned());
    }
    if let Some(socket) = &around.pcsc_socket {
        return Some(format!(
            "PCSCLITE_CSOCK_NAME names {socket}, where nobody answers: start pcscd there, or unset it"
        ));
    }
    if around.in_container && !around.has_pcscd {
        return Some(
            "mount the host's /run/pcscd into the container (`-v /run/pcscd:/run/pcscd`)".to_owned(),
        );
    }
    match (around.has_pcscd, around.install, around.has_systemd) {
        (false, Some(install), _) => {
            let package = match install {
                "sudo apt install" => "pcscd libccid",
                "sudo pacman -S" => "pcsclite ccid",
                _ => "pcsc-lite pcsc-lite-ccid",
            };
            Some(format!("it is not installed: `{install} {package}`; it is picked up at once"))
        }
        (true, _, true) => {
            Some("`sudo systemctl enable --now pcscd.socket`; it is picked up at once".to_owned())
        }
        (true, _, false) => Some("start it: `sudo pcscd`; it is picked up at once".to_owned()),
        _ => None,
    }
}

/// What is wrong with cameras as a whole.
pub fn of_cameras(listing: &Listing, around: &Surroundings) -> Vec<Trouble> {
    let trouble = match &listing.trouble {
        None if listing.cameras.is_empty() => Some(CameraTrouble::NoCamera),
        other => other.clone(),
    };
    trouble
        .into_iter()
        .map(|trouble| {
            let hint = camera_hint(&trouble, around).unwrap_or_else(|| trouble.hint());
            Trouble::new(sentence(&trouble.to_string()), Some(hint))
        })
        .collect()
}

fn camera_hint(trouble: &CameraTrouble, around: &Surroundings) -> Option<String> {
    if *trouble != CameraTrouble::NoCamera {
        return None;
    }
    if around.in_container {
        return Some(
            "a container sees a camera only if it is handed over: `--device /dev/video0`".to_owned(),
        );
    }
    if around.in_windows {
        return Some(
            "Windows keeps USB for itself: `usbipd attach --wsl --busid …` hands a camera over".to_owned(),
        );
    }
    around.cameras.first().map(|usb| {
        format!(
            "{} ({}) is on USB and the kernel has no driver for it: `sudo modprobe uvcvideo`",
            usb.name, usb.ids
        )
    })
}

/// What is wrong with sound as a whole.
pub fn of_audio(troubles: &[AudioTrouble], around: &Surroundings) -> Vec<Trouble> {
    let hint = |trouble: &AudioTrouble| match trouble {
        AudioTrouble::Nothing if around.over_ssh => {
            "the sound server of a desktop is not reached over ssh; set XDG_RUNTIME_DIR or PULSE_SERVER, or work at the \
             machine itself"
        }
        AudioTrouble::Nothing if around.in_container => {
            "a container has sound only if it is handed over: `--device /dev/snd`, or PULSE_SERVER and its socket"
        }
        other => other.hint(),
    };
    let said =
        |trouble: &AudioTrouble| Trouble::new(sentence(&trouble.to_string()), Some(hint(trouble).to_owned()));
    troubles.iter().map(said).collect()
}
