//! Tag bytes or a picture to a bounded, stripped, hashed observation. Pure.

pub mod alias;
pub mod flipper;
pub mod ndef;
pub mod photo;
pub mod reading;
pub mod reference;
pub mod type2;
