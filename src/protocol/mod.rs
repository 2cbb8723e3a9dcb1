//! The wire: card, client messages, server envelopes, observation, passport, bounds, rules. Pure.
