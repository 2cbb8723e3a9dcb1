//! Finds pieces of images' base64, hexadecimal or lists of bytes in text, without keeping the images.
//!
//! An image's buffer is gone once its observation is sent; what stays here are digests of blocks of 32
//! characters of its base64. Any 63 consecutive characters of it hold a whole block, so a sum rolled over the
//! text meets one; the digest then confirms it, and the whole run around it counts as found. White space and the
//! usual marks between groups of characters hide nothing: what no run shows is looked for across them. A list of bytes
//! in decimal or as `0xNN` is looked at as hexadecimal.

use std::collections::HashMap;

use data_encoding::{BASE64_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use zeroize::{Zeroize, Zeroizing};

use super::numbers;

const BLOCK: usize = 32;
/// Characters of the shortest piece that is found: a block of base64; as many bytes of a list have more.
pub(super) const SHORTEST: usize = BLOCK;
/// Bits of the table that says of most sums that no block has them.
const SUMS: usize = 1 << 18;
const BASE: u64 = 0x0100_0000_01B3;

/// The images to look for.
#[derive(Default)]
pub(super) struct ImageIndex {
    blocks: HashMap<u64, Vec<[u8; 16]>>,
    /// One bit for some digits of each sum; empty as long as there is nothing to look for.
    sums: Vec<u64>,
}

impl ImageIndex {
    /// Looks for pieces of this image from now on.
    pub(super) fn add(&mut self, image: &[u8]) {
        self.add_spelling(&Zeroizing::new(BASE64_NOPAD.encode(image)), |_| true);
        self.add_spelling(&Zeroizing::new(HEXLOWER.encode(image)), is_telling);
    }

    fn add_spelling(&mut self, spelled: &str, counts: fn(&[u8]) -> bool) {
        for block in spelled.as_bytes().chunks_exact(BLOCK).filter(|block| counts(block)) {
            let sum = sum(block);
            self.sums.resize(SUMS / 64, 0);
            self.sums[place(sum) / 64] |= 1 << (place(sum) % 64);
            let digests = self.blocks.entry(sum).or_default();
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
        let mut at = 0;
        while at < text.len() {
            let (length, may_hold) = self.stretch(&text[at..]);
            if may_hold {
                self.find_in(&text[at..at + length], at, &mut found);
            }
            at += length.max(1);
        }
        let numerals = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'x' | b'X');
        if text.iter().filter(numerals).count() >= BLOCK / 2 {
            for list in numbers::lists(text, BLOCK / 2) {
                if self.is_in(Zeroizing::new(HEXLOWER.encode(&list.bytes)).as_bytes()) {
                    found.push((list.start, list.end));
                }
            }
        }
        found
    }

    /// The length of what may belong together at the beginning, and whether its characters, or its hexadecimal digits,
    /// have the sum of a block anywhere. Nearly no other text does, and this one pass is all that it costs.
    fn stretch(&self, text: &[u8]) -> (usize, bool) {
        let (mut characters, mut digits) = (Rolling::default(), Rolling::default());
        let mut may_hold = false;
        for (at, &byte) in text.iter().enumerate() {
            if in_alphabet(byte) {
                may_hold |= characters.push(byte).is_some_and(|sum| self.may_be(sum));
                if byte.is_ascii_hexdigit() {
                    may_hold |= digits.push(byte.to_ascii_lowercase()).is_some_and(|sum| self.may_be(sum));
                }
            } else if !parts_groups(byte) {
                return (at, may_hold);
            }
        }
        (text.len(), may_hold)
    }

    fn may_be(&self, sum: u64) -> bool {
        self.sums[place(sum) / 64] >> (place(sum) % 64) & 1 == 1
    }

    /// Looks closely at characters and marks that may belong together.
    fn find_in(&self, text: &[u8], offset: usize, found: &mut Vec<(usize, usize)>) {
        // Places of the characters since the last piece that was found, and of the run that goes on.
        let (mut spread, mut at, before) = (Vec::new(), 0, found.len());
        while at < text.len() {
            let run = text[at..].iter().take_while(|byte| in_alphabet(**byte)).count();
            if run >= BLOCK && self.holds(&text[at..at + run]) {
                found.push((at, at + run));
                self.find_spread(text, &mut spread, found);
            } else {
                spread.extend(at..at + run);
            }
            at += run.max(1);
        }
        self.find_spread(text, &mut spread, found);
        for span in &mut found[before..] {
            *span = (offset + span.0, offset + span.1);
        }
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

    /// Whether it holds a block in either spelling; hexadecimal may stand in capitals, and with dashes.
    fn holds(&self, run: &[u8]) -> bool {
        if self.is_in(run) {
            return true;
        }
        let digits = run.iter().filter(|byte| byte.is_ascii_hexdigit()).map(u8::to_ascii_lowercase);
        let digits: Zeroizing<Vec<u8>> = Zeroizing::new(digits.collect());
        digits.len() >= BLOCK && self.is_in(&digits)
    }

    /// Whether a run holds a block as it stands.
    fn is_in(&self, run: &[u8]) -> bool {
        let mut rolling = Rolling::default();
        run.iter().enumerate().any(|(at, byte)| {
            let Some(sum) = rolling.push(*byte).filter(|sum| self.may_be(*sum)) else { return false };
            let is = |digests: &Vec<_>| digests.contains(&digest(&run[at + 1 - BLOCK..=at]));
            self.blocks.get(&sum).is_some_and(is)
        })
    }
}

/// The sum of the last block of characters.
#[derive(Default)]
struct Rolling {
    sum: u64,
    count: usize,
    /// The characters in the sum, the oldest at `count`.
    last: [u8; BLOCK],
}

impl Rolling {
    /// The factor of the oldest character.
    const LEAVING: u64 = {
        let (mut power, mut times) = (1_u64, 0);
        while times < BLOCK {
            power = power.wrapping_mul(BASE);
            times += 1;
        }
        power
    };

    /// Takes one more character; the sum once there is a whole block.
    #[inline]
    fn push(&mut self, byte: u8) -> Option<u64> {
        let value = value(byte);
        let oldest = std::mem::replace(&mut self.last[self.count % BLOCK], byte);
        self.sum = self.sum.wrapping_mul(BASE).wrapping_add(value);
        self.count += 1;
        if self.count > BLOCK {
            self.sum = self.sum.wrapping_sub(Self::LEAVING.wrapping_mul(self::value(oldest)));
        }
        (self.count >= BLOCK).then_some(self.sum)
    }
}

impl Drop for Rolling {
    fn drop(&mut self) {
        self.last.zeroize();
    }
}

/// The bit of a sum in the table.
fn place(sum: u64) -> usize {
    usize::try_from(sum.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SUMS.trailing_zeros()))
        .unwrap_or_default()
}

/// Whether a block of hexadecimal is this image's own: an all-zero digest must not be taken for a piece.
fn is_telling(block: &[u8]) -> bool {
    let mut seen = [false; 256];
    block.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= 5
}

/// Marks that may stand between groups of characters.
fn parts_groups(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b':' | b',' | b'.' | b'\\' | b'|' | b'%')
}

/// Whether it is a character of base64, in either alphabet.
pub(super) fn in_alphabet(byte: u8) -> bool {
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
