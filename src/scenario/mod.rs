//! Scripted sessions.
