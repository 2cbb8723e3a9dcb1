//! The engine as a face has it, with simulated devices, on an agent of this machine.

use std::path::Path;
use std::time::Duration;

use agentcall::client::{Client, ClientConfig, VoiceSettings};
use agentcall::device::ArmedBy;
use agentcall::device::audio::{SimulatedMicrophone, SimulatedSpeaker};
use agentcall::device::camera::CameraProgram;
use agentcall::device::camera::simulated::SimulatedCamera;
use agentcall::device::nfc::SimulatedReader;
use agentcall::discovery::fetch::CardSource;
use agentcall::net::{Credentials, NetContext, UrlPolicy};
use agentcall::protocol::{Dialect, Modalities};
use agentcall::transport::{webrtc, websocket};

/// An engine for the agent whose card is at `target`; its state goes under `state`.
pub fn client(target: &str, state: &Path) -> Client {
    Client::spawn(config(target, state))
}

/// What such an engine is told at its start.
pub fn config(target: &str, state: &Path) -> ClientConfig {
    let policy = UrlPolicy { local: true };
    let program = CameraProgram::at(env!("CARGO_BIN_EXE_agentcall"));
    let reader = SimulatedReader::new();
    let placer = reader.placer();
    ClientConfig {
        source: CardSource::parse(target, policy).unwrap(),
        target: target.to_owned(),
        net: NetContext::system(policy, &[]).unwrap(),
        credentials: Credentials::default(),
        wait: None,
        websocket: websocket::Options::default(),
        offered: Modalities::BOTH,
        acks: true,
        dialect: Dialect::default(),
        scan_within: Duration::from_secs(10),
        capture_within: Duration::from_secs(10),
        reader: (Box::new(reader), Some(placer)),
        watched: None,
        devices: None,
        camera: Box::new(SimulatedCamera::test_card(program.clone())),
        camera_program: program,
        microphone: Box::new(SimulatedMicrophone::default()),
        speaker: Box::new(SimulatedSpeaker::nowhere()),
        voice: VoiceSettings::default(),
        speech: None,
        webrtc: webrtc::Options::default(),
        state_dir: state.join("agentcall"),
        armed_by: ArmedBy::ScenarioStep,
    }
}

/// The path of a file under `assets/`.
pub fn asset(name: &str) -> String {
    format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"))
}
