//! Finds pieces of images' base64 or hexadecimal in text, without keeping the images.
//!
//! An image's buffer is gone once its observation is sent; what stays here are digests of blocks of 32
//! characters of its base64. Any 63 consecutive characters of it hold a whole block, so a sum rolled over the
//! text meets one; the digest then confirms it, and the whole run around it counts as found. White space and the
//! usual marks between groups of characters hide nothing: what no run shows is looked for across them.

use std::collections::HashMap;

use data_encoding::{BASE64_NOPAD, HEXLOWER};
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
        self.add_spelling(&Zeroizing::new(BASE64_NOPAD.encode(image)), |_| true);
        self.add_spelling(&Zeroizing::new(HEXLOWER.encode(image)), is_telling);
    }

    fn add_spelling(&mut self, spelled: &str, counts: fn(&[u8]) -> bool) {
        for block in spelled.as_bytes().chunks_exact(BLOCK).filter(|block| counts(block)) {
            let digests = self.blocks.entry(sum(block)).or_default();
            let digest = digest(block);
            if !digests.contains(&digest) {
                digests.push(digest);
            }
        }
    }

    /// Start and end of every run that holds a block of an image.
    pub(super) fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let text = text.as_bytes();
        let mut found = Vec::new();
        if self.blocks.is_empty() {
            return found;
        }
        // Places of the characters since the last piece that was found, and of the run that goes on.
        let (mut spread, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let run = text[at..].iter().take_while(|byte| in_alphabet(**byte)).count();
            if run >= BLOCK && self.holds(&text[at..at + run]) {
                found.push((at, at + run));
                self.find_spread(text, &mut spread, &mut found);
            } else if run > 0 {
                spread.extend(at..at + run);
            } else if !parts_groups(text[at]) {
                self.find_spread(text, &mut spread, &mut found);
            }
            at += run.max(1);
        }
        self.find_spread(text, &mut spread, &mut found);
        found
    }

    /// Looks at the characters of these places as if nothing stood between them; empties `places`.
    fn find_spread(&self, text: &[u8], places: &mut Vec<usize>, found: &mut Vec<(usize, usize)>) {
        if let (Some(first), Some(last)) = (places.first(), places.last())
            && places.len() >= BLOCK
            // Without a gap it was looked at already.
            && last - first >= places.len()
        {
            let packed: Zeroizing<Vec<u8>> = Zeroizing::new(places.iter().map(|at| text[*at]).collect());
            if self.holds(&packed) {
                found.push((*first, last + 1));
            }
        }
        places.clear();
    }

    /// Whether it holds a block in either spelling; hexadecimal may stand in capitals.
    fn holds(&self, run: &[u8]) -> bool {
        if self.is_in(run) {
            return true;
        }
        let hex = run.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        hex >= BLOCK && self.is_in(&Zeroizing::new(run.to_ascii_lowercase()))
    }

    /// Whether a run holds a block as it stands.
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

/// Whether a block of hexadecimal is this image's own: an all-zero digest must not be taken for a piece.
fn is_telling(block: &[u8]) -> bool {
    let mut seen = [false; 256];
    block.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= 5
}

/// Marks that may stand between groups of characters.
fn parts_groups(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b':' | b',' | b'.' | b'\\' | b'|')
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
