//! Dialogues of the engine.
