//! Model, Message, update. Knows neither ratatui nor tokio.
