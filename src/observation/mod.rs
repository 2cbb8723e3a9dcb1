//! Tag bytes or a picture to a bounded, stripped, hashed observation. Pure.

pub mod ndef;
pub mod type2;
