//! Dialogues of the screen model.
