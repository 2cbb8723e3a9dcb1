//! Card URL or file to validated card.
