//! The prefix table of URI records (RTD URI 1.0, table 3).

/// What each code stands for; the place in the table is the code.
const PREFIXES: [&str; 0x24] = [
    "",
    "http://www.",
    "https://www.",
    "http://",
    "https://",
    "tel:",
    "mailto:",
    "ftp://anonymous:anonymous@",
    "ftp://ftp.",
    "ftps://",
    "sftp://",
    "smb://",
    "nfs://",
    "ftp://",
    "dav://",
    "news:",
    "telnet://",
    "imap:",
    "rtsp://",
    "urn:",
    "pop:",
    "sip:",
    "sips:",
    "tftp:",
    "btspp://",
    "btl2cap://",
    "btgoep://",
    "tcpobex://",
    "irdaobex://",
    "file://",
    "urn:epc:id:",
    "urn:epc:tag:",
    "urn:epc:pat:",
    "urn:epc:raw:",
    "urn:epc:",
    "urn:nfc:",
];

/// The prefix of `code`, or `None` where the table has none.
pub(super) fn prefix(code: u8) -> Option<&'static str> {
    PREFIXES.get(usize::from(code)).copied()
}

/// The code with the longest prefix of `uri`.
pub(super) fn code_for(uri: &str) -> u8 {
    (0_u8..)
        .zip(PREFIXES)
        .filter(|(_, prefix)| uri.starts_with(prefix))
        .max_by_key(|(_, prefix)| prefix.len())
        .map_or(0, |(code, _)| code)
}
