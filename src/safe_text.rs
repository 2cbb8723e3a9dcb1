//! Text from outside (agent, card, tag, device names, files), made drawable. Level 0.
