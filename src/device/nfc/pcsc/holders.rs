//! Who is likely to hold a card: programs that run and are known to take cards for themselves (A5).

/// Known holders, by the name of their process.
const KNOWN: [&str; 9] = [
    "scdaemon",
    "gsd-smartcard",
    "ykman",
    "yubikey-agent",
    "pcscd-proxy",
    "opensc-tool",
    "pkcs11-tool",
    "ctkd",
    "lpac",
];

/// Those that run, with their process id; empty where the system does not tell.
#[cfg(target_os = "linux")]
pub fn running() -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut found: Vec<(u32, String)> = processes
        .filter_map(|entry| {
            let id: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let name = std::fs::read_to_string(format!("/proc/{id}/comm")).ok()?;
            // The kernel keeps 15 characters of a name.
            let known = KNOWN.iter().find(|known| known.chars().take(15).eq(name.trim().chars()))?;
            Some((id, format!("{known} (pid {id})")))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, holder)| holder).collect()
}

/// Those that run, with their process id; empty where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn running() -> Vec<String> {
    Vec::new()
}
