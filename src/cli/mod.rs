//! One file a subcommand; composes everything.
