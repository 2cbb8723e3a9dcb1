//! What happened, when, how large.
