//! Finds pieces of images' base64 in text, without keeping the images.
//!
//! An image's buffer is gone once its observation is sent; what stays here are digests of blocks of 32
//! characters of its base64. Any 63 consecutive characters of it hold a whole block, so a sum rolled over the
//! text meets one; the digest then confirms it, and the whole base64 run around it counts as found.

use std::collections::HashMap;

use data_encoding::BASE64_NOPAD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

const BLOCK: usize = 32;
const BASE: u64 = 0x0100_0000_01B3;

/// The images to look for.
#[derive(Default)]
pub(super) struct ImageIndex {
    blocks: HashMap<u64, Vec<[u8; 16]>>,
}

impl ImageIndex {
    /// Looks for pieces of this image from now on.
    pub(super) fn add(&mut self, image: &[u8]) {
        let encoded = Zeroizing::new(BASE64_NOPAD.encode(image));
        for block in encoded.as_bytes().chunks_exact(BLOCK) {
            let digests = self.blocks.entry(sum(block)).or_default();
            let digest = digest(block);
            if !digests.contains(&digest) {
                digests.push(digest);
            }
        }
    }

    /// Start and end of every base64 run that holds a block of an image.
    pub(super) fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let text = text.as_bytes();
        let mut found = Vec::new();
        if self.blocks.is_empty() {
            return found;
        }
        let mut at = 0;
        while at < text.len() {
            let run = text[at..].iter().take_while(|byte| in_alphabet(**byte)).count();
            if run >= BLOCK && self.is_in(&text[at..at + run]) {
                found.push((at, at + run));
            }
            at += run.max(1);
        }
        found
    }

    /// Whether a base64 run holds a block.
    fn is_in(&self, run: &[u8]) -> bool {
        let leaving = (1..BLOCK).fold(1_u64, |power, _| power.wrapping_mul(BASE));
        let mut rolling = sum(&run[..BLOCK]);
        for start in 0..=run.len() - BLOCK {
            let block = &run[start..start + BLOCK];
            if self.blocks.get(&rolling).is_some_and(|digests| digests.contains(&digest(block))) {
                return true;
            }
            if let Some(next) = run.get(start + BLOCK) {
                let without = rolling.wrapping_sub(leaving.wrapping_mul(value(block[0])));
                rolling = without.wrapping_mul(BASE).wrapping_add(value(*next));
            }
        }
        false
    }
}

fn in_alphabet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// One value for both alphabets' spellings of a character.
fn value(byte: u8) -> u64 {
    u64::from(match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => other,
    })
}

fn sum(block: &[u8]) -> u64 {
    block.iter().fold(0, |sum, &byte| sum.wrapping_mul(BASE).wrapping_add(value(byte)))
}

/// A digest of the block in the standard alphabet; 128 bits, so that no other text is taken for it.
fn digest(block: &[u8]) -> [u8; 16] {
    let spelled: Zeroizing<Vec<u8>> =
        Zeroizing::new(block.iter().map(|b| u8::try_from(value(*b)).unwrap_or(*b)).collect());
    let whole: [u8; 32] = Sha256::digest(&*spelled).into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    half
}
