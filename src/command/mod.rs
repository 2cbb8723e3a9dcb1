//! The registry of what a person can do.
