//! Dialogues of the screen model.

mod review;
