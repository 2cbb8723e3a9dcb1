use zeroize::Zeroizing;

use super::{DeviceKey, alias, digest};
use crate::redact::TagUid;
use crate::units::hex;

fn counting_key() -> DeviceKey {
    DeviceKey::new(Zeroizing::new(std::array::from_fn(|i| u8::try_from(i).unwrap())))
}

/// The expected values were computed with Python's `hmac`, `hashlib` and `base64`.
#[test]
fn the_alias_is_the_keyed_code_of_r10() {
    let ones = DeviceKey::new(Zeroizing::new([0xFF; 32]));
    for (key, uid, expected, sha256) in [
        (
            &counting_key(),
            &[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF6][..],
            "urn:agentcall:local:bygzopvx6umbrnuyh3fllflk4e",
            "e58f60c9cc764e696e67f1e9a1344203d1ad5ea31b252ed12333c5ab1795bdd6",
        ),
        (
            &counting_key(),
            &[0x04, 0xA1, 0xB2, 0xC3, 0xD4, 0xE5, 0xF7],
            "urn:agentcall:local:f3a7wj7qqpktvv57hutt7z54xu",
            "004b12692f52ed80da845e91d058803c7445105365d9afbbd869cf78446cffcc",
        ),
        (
            &ones,
            &[0xBA, 0xE2, 0x7C, 0x9D],
            "urn:agentcall:local:yn2hulb4qtslxtfp2uwo5qthyi",
            "1cd773b632bae55c7dfb9507d1df7615f2bc37c56555f25667c555d79e7ff091",
        ),
    ] {
        let made = alias(key, &TagUid::new(uid));
        assert_eq!(made, expected);
        assert_eq!(hex(&digest(made.as_bytes())), sha256);
    }
}

#[test]
fn the_key_is_not_printed() {
    assert_eq!(format!("{:?}", counting_key()), "[device key]");
}
