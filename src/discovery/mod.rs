//! Card URL or file to validated card.

pub mod fetch;
