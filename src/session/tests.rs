//! Dialogues of the session.
