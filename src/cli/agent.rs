//! `agentcall agent`: the reference agent on a listener, until it is told to stop.

use super::args::AgentArgs;
use super::exit::{Exit, Failure, Kind};
use super::output::Printer;
use super::signals::Signals;
use crate::agent::{AgentConfig, AgentError, Running, Transports, serve};

/// Serves until a signal comes. Ctrl-C and SIGTERM are how it is meant to end: exit code 0.
///
/// # Errors
/// [`Failure`] when the address cannot be bound, or nobody can be told where it is.
pub async fn agent(args: &AgentArgs, printer: &mut Printer<'_>) -> Result<Exit, Failure> {
    if args.speak && args.transport == Transports::WebSocket {
        let message = "--speak is for calls: add --transport webrtc, or --transport both";
        return Err(Failure::new(Kind::Usage, message));
    }
    let mut signals = Signals::listen()?;
    let config = AgentConfig {
        listen: args.listen,
        transports: args.transport,
        accepted: args.accept,
        speak: args.speak,
        legacy_uri: args.legacy_uri,
        faults: args.fault.clone(),
        ..AgentConfig::default()
    };
    let mut running = start(config).await?;
    printer.line(&ready(&running))?;
    if !running.addr.ip().is_loopback() {
        printer.aside("Anybody who reaches this address can talk to the agent; it has no token and no TLS.");
    }
    tokio::select! {
        _ = signals.next() => {
            running.stop().await;
            Ok(Exit::Well)
        }
        () = running.stopped() => Err(Failure::new(Kind::Internal, "the agent stopped by itself")),
    }
}

/// Binds and serves.
///
/// # Errors
/// [`Kind::Connection`] when the address cannot be bound, [`Kind::Device`] without the program that speaks.
pub async fn start(config: AgentConfig) -> Result<Running, Failure> {
    serve(config).await.map_err(|error| {
        let kind = match error {
            AgentError::Listen { .. } => Kind::Connection,
            AgentError::NoVoice { .. } => Kind::Device,
        };
        Failure::new(kind, error.to_string())
    })
}

fn ready(running: &Running) -> String {
    let origin = running.card_url.split("/.well-known").next().unwrap_or(&running.card_url);
    let call =
        running.call_card_url.as_ref().map(|url| format!("  Card of calls: {url}")).unwrap_or_default();
    format!("Card: {}{call}  Connect: agentcall connect --local {origin}  (Ctrl-C ends)", running.card_url)
}
