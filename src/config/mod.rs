//! Defaults < file < environment < flags, resolved once.
