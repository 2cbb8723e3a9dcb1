//! What this machine says about why a device is not there: read from files and variables, never by asking a device.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Most USB devices that are looked at.
const MOST_USB: usize = 256;
/// The class of a USB interface for smart cards (CCID).
const CLASS_CCID: &str = "0b";
/// The class of a USB interface for video.
const CLASS_VIDEO: &str = "0e";
/// Drivers of the kernel that take a reader away from PC/SC.
const KERNEL_DRIVERS: [&str; 3] = ["pn533_usb", "pn533", "port100"];
/// Readers with interfaces of no class of their own: vendor and product.
const KNOWN_READERS: [(&str, &str); 4] =
    [("04cc", "2533"), ("04e6", "5591"), ("054c", "06c1"), ("054c", "06c3")];

/// The machine around us. On systems without these files everything is as if nothing were special.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Whether we came over ssh.
    pub over_ssh: bool,
    /// Whether this is a container.
    pub in_container: bool,
    /// Whether this is Linux inside of Windows.
    pub in_windows: bool,
    /// Whether systemd runs.
    pub has_systemd: bool,
    /// Whether the PC/SC daemon is installed.
    pub has_pcscd: bool,
    /// How packages are installed: `sudo apt install`.
    pub install: Option<&'static str>,
    /// Another socket of the PC/SC service, where the environment names one.
    pub pcsc_socket: Option<String>,
    /// Readers on USB.
    pub readers: Vec<UsbDevice>,
    /// Cameras on USB.
    pub cameras: Vec<UsbDevice>,
}

/// A device on USB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsbDevice {
    /// What it calls itself.
    pub name: String,
    /// Vendor and product, such as `072f:2200`.
    pub ids: String,
    /// The driver of the kernel that has its interface.
    pub driver: Option<String>,
}

impl UsbDevice {
    /// Whether the kernel's own NFC has it, and so PC/SC has not.
    pub fn kernel_driver(&self) -> Option<&str> {
        self.driver.as_deref().filter(|driver| KERNEL_DRIVERS.contains(driver))
    }
}

impl Surroundings {
    /// This machine's.
    pub fn here() -> Self {
        Self::of(Path::new("/"), |name| std::env::var_os(name))
    }

    /// Those of a machine whose files lie below `root`.
    pub fn of(root: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let exists = |path: &str| root.join(path).exists();
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let usb = usb(&root.join("sys/bus/usb/devices"));
        let of = |is: fn(&Usb) -> bool| usb.iter().filter(|d| is(d)).map(|d| d.device.clone()).collect();
        Self {
            over_ssh: is_set("SSH_CONNECTION") || is_set("SSH_TTY"),
            in_container: exists(".dockerenv") || exists("run/.containerenv"),
            in_windows: text("proc/version").to_lowercase().contains("microsoft"),
            has_systemd: exists("run/systemd/system"),
            has_pcscd: exists("usr/sbin/pcscd") || exists("usr/bin/pcscd") || exists("usr/local/sbin/pcscd"),
            install: installer(&text("etc/os-release")),
            pcsc_socket: variable("PCSCLITE_CSOCK_NAME").map(|path| path.to_string_lossy().into_owned()),
            readers: of(|usb| usb.is_reader),
            cameras: of(|usb| usb.is_camera),
        }
    }

    /// Readers that the kernel holds.
    pub fn held_by_kernel(&self) -> impl Iterator<Item = (&UsbDevice, &str)> {
        self.readers.iter().filter_map(|reader| Some((reader, reader.kernel_driver()?)))
    }
}

/// How packages are installed, by `ID` and `ID_LIKE` of os-release.
fn installer(release: &str) -> Option<&'static str> {
    let of = |key: &str| release.lines().find_map(|line| line.strip_prefix(key));
    let ids = [of("ID="), of("ID_LIKE=")];
    let mut words = ids.into_iter().flatten().flat_map(|value| value.trim_matches('"').split_whitespace());
    words.find_map(|id| match id {
        "debian" | "ubuntu" => Some("sudo apt install"),
        "fedora" | "rhel" => Some("sudo dnf install"),
        "arch" => Some("sudo pacman -S"),
        "suse" | "opensuse" => Some("sudo zypper install"),
        "alpine" => Some("sudo apk add"),
        _ => None,
    })
}

struct Usb {
    device: UsbDevice,
    is_reader: bool,
    is_camera: bool,
}

fn usb(directory: &Path) -> Vec<Usb> {
    let mut places: Vec<PathBuf> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|place| place.join("idVendor").exists())
        .take(MOST_USB)
        .collect();
    places.sort();
    places.iter().filter_map(|place| usb_device(place)).collect()
}

fn usb_device(place: &Path) -> Option<Usb> {
    let text = |name: &str| Some(std::fs::read_to_string(place.join(name)).ok()?.trim().to_owned());
    let (vendor, product) = (text("idVendor")?, text("idProduct")?);
    let name = [text("manufacturer"), text("product")].into_iter().flatten().collect::<Vec<_>>().join(" ");
    // Interfaces stand beside the device as `1-2:1.0`; below it they are the same directories.
    let interfaces: Vec<(String, Option<String>)> = std::fs::read_dir(place)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| {
            let class = std::fs::read_to_string(path.join("bInterfaceClass")).ok()?;
            let driver = std::fs::read_link(path.join("driver")).ok();
            let driver = driver.and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()));
            Some((class.trim().to_owned(), driver))
        })
        .collect();
    let has = |class: &str| interfaces.iter().any(|(other, _)| other == class);
    let driver = interfaces.iter().find_map(|(_, driver)| driver.clone());
    let held = driver.as_deref().is_some_and(|driver| KERNEL_DRIVERS.contains(&driver));
    let is_known = KNOWN_READERS.contains(&(vendor.as_str(), product.as_str()));
    let ids = format!("{vendor}:{product}");
    let name = if name.is_empty() { "a USB device".to_owned() } else { name };
    Some(Usb {
        is_reader: has(CLASS_CCID) || held || is_known,
        is_camera: has(CLASS_VIDEO),
        device: UsbDevice { name, ids, driver },
    })
}
