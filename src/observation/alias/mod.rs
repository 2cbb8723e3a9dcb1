//! The local alias of a tag (R10): opaque, keyed with this device's own key, the same at every scan.
//!
//! Pure. Called by [`super::reading`]. The key is read by `device` and handed over by the client.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::reference::ALIAS_NAMESPACE;
use crate::redact::TagUid;

/// What keeps these codes apart from any other use of the key (R10).
const DOMAIN: &[u8] = b"agentcall-alias-v1";
/// Bytes of the code that go into the alias (R10).
const CODE_BYTES: usize = 16;

/// The secret of this device that aliases are made with. Printed as `[device key]`; wiped when dropped.
pub struct DeviceKey(Zeroizing<[u8; 32]>);

impl DeviceKey {
    /// Takes the key's 32 bytes.
    pub fn new(bytes: Zeroizing<[u8; 32]>) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[device key]")
    }
}

/// The alias of a tag: `urn:agentcall:local:` and 26 characters of `a–z 2–7`.
pub fn alias(key: &DeviceKey, uid: &TagUid) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(&*key.0).expect("HMAC takes keys of any length");
    mac.update(DOMAIN);
    mac.update(uid.expose_for_alias());
    let code = mac.finalize().into_bytes();
    let mut out = ALIAS_NAMESPACE.to_owned();
    out.push_str(&data_encoding::BASE32_NOPAD.encode(&code[..CODE_BYTES]).to_ascii_lowercase());
    out
}

/// SHA-256 of the exact bytes that carried a reference, or of an alias's UTF-8 (R8, R10).
pub fn digest(carrier: &[u8]) -> [u8; 32] {
    Sha256::digest(carrier).into()
}

#[cfg(test)]
mod tests;
