//! From what was typed, the environment and the configuration file to what the engine is told.

use std::path::PathBuf;
use std::time::Duration;

use super::args::{ConfigArgs, NetArgs, SessionArgs};
use super::devices::{Devices, Wanted, lister};
use super::exit::{Failure, Kind};
use crate::client::{ClientConfig, SpeechCommand, VoiceSettings};
use crate::config::{ConfigError, EnvName, Environment, Layer, Names, Settings, resolve};
use crate::device::ArmedBy;
use crate::discovery::fetch::CardSource;
use crate::net::{
    Credentials, NetContext, Origin, Proxies, ProxyChoice, Timeouts, UrlPolicy, read_token_env,
    read_token_file,
};
use crate::redact::Token;
use crate::transport::{webrtc, websocket};

/// Everything resolved, and everything that was named read.
pub struct Settled {
    /// The settings with their origins.
    pub settings: Settings,
    /// Policy, resolver, TLS, times.
    pub net: NetContext,
    /// The token and where it may go (R17).
    pub credentials: Credentials,
    /// How long to wait for an agent that is not up yet.
    pub wait: Option<Duration>,
    environment: Environment,
}

impl Settled {
    /// Resolves defaults < file < environment < flags.
    ///
    /// # Errors
    /// [`Kind::Usage`] when a setting, a file, a variable or a URL cannot be used.
    pub fn of(net: &NetArgs, session: &SessionArgs, config: &ConfigArgs) -> Result<Self, Failure> {
        let environment = Environment::of_process();
        let settings = resolve(config.config.as_deref(), &environment, layer(net, session)?)?;
        let policy = UrlPolicy { local: *settings.local };
        let credentials = credentials(&settings, policy)?;
        let context = context(&settings, policy)?;
        Ok(Self { settings, net: context, credentials, wait: net.wait, environment })
    }

    /// The same for an agent that this process serves: local, and without any token.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn for_own_agent(session: &SessionArgs, config: &ConfigArgs) -> Result<Self, Failure> {
        let environment = Environment::of_process();
        let net = NetArgs { local: true, proxy: Some(Token::new("none")), ..NetArgs::default() };
        let layer = layer(&net, session)?;
        let settings = resolve(config.config.as_deref(), &environment, layer)?;
        let context = context(&settings, UrlPolicy { local: true })?;
        Ok(Self { settings, net: context, credentials: Credentials::default(), wait: None, environment })
    }

    /// Reads the URL or path of a card.
    ///
    /// # Errors
    /// [`Kind::Usage`] for a form that the policy refuses, [`Kind::Connection`] for an address.
    pub fn source(&self, typed: &str) -> Result<CardSource, Failure> {
        Ok(CardSource::parse(typed, self.net.policy)?)
    }

    /// The names of the chosen devices; `otherwise` where none was chosen.
    pub fn devices(&self, otherwise: &str) -> Wanted {
        let readers = self.settings.reader.as_ref().map(|names| names.as_slice().to_vec());
        Wanted {
            readers: readers.unwrap_or_else(|| vec![otherwise.to_owned()]),
            camera: self.settings.camera.as_deref().unwrap_or(otherwise).to_owned(),
            microphone: self.settings.microphone.as_deref().unwrap_or(otherwise).to_owned(),
            speaker: self.settings.speaker.as_deref().unwrap_or(otherwise).to_owned(),
        }
    }

    /// What the engine is told for the agent at `typed`.
    ///
    /// # Errors
    /// As [`Self::source`], and [`Kind::Usage`] when there is no place for the state.
    pub fn client(&self, typed: &str, devices: Devices, armed_by: ArmedBy) -> Result<ClientConfig, Failure> {
        let settings = &self.settings;
        Ok(ClientConfig {
            target: typed.to_owned(),
            source: self.source(typed)?,
            net: self.net.clone(),
            credentials: self.credentials.clone(),
            wait: self.wait,
            websocket: websocket::Options {
                ping_every: settings.ping_every.0,
                dead_after: settings.dead_after.0,
                ..websocket::Options::default()
            },
            offered: *settings.modalities,
            acks: *settings.acks,
            dialect: settings.dialect.value.clone(),
            scan_within: settings.scan_within.0,
            capture_within: settings.capture_within.0,
            reader: devices.reader,
            watched: devices.watched,
            devices: Some(lister()),
            camera: devices.camera,
            microphone: devices.microphone,
            speaker: devices.speaker,
            voice: VoiceSettings::default(),
            speech: self.speech(),
            webrtc: webrtc::Options::default(),
            camera_program: devices.program,
            state_dir: self.state_dir()?,
            armed_by,
        })
    }

    /// The command that speaks, if it is asked for.
    fn speech(&self) -> Option<SpeechCommand> {
        let settings = &self.settings;
        let command = settings.speech_command.as_ref().filter(|_| *settings.speak)?;
        SpeechCommand::new(command.as_slice(), settings.token_env.as_ref().map(|name| name.0.as_str()))
    }

    fn state_dir(&self) -> Result<PathBuf, Failure> {
        Ok(self.settings.state_directory(&self.environment)?)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::new(Kind::Usage, error.to_string())
    }
}

fn context(settings: &Settings, policy: UrlPolicy) -> Result<NetContext, Failure> {
    let mut context = NetContext::system(policy, &settings.ca)?;
    context.proxies = Proxies::of(&settings.proxy, |name| std::env::var_os(name))?;
    context.timeouts = Timeouts { connect: settings.connect_within.0, ..context.timeouts };
    Ok(context)
}

fn layer(net: &NetArgs, session: &SessionArgs) -> Result<Layer, Failure> {
    let token_env = net.token_env.as_ref().map(|name| env_name(name)).transpose()?;
    Ok(Layer {
        local: net.local.then_some(true),
        proxy: net.proxy.as_ref().map(proxy).transpose()?,
        ca: (!net.ca.is_empty()).then(|| net.ca.clone()),
        token_env: token_env.map(Some),
        token_file: net.token_file.clone().map(Some),
        token_origin: net.token_origin.clone().map(Some),
        modalities: session.modalities,
        reader: readers(&session.reader)?.map(Some),
        camera: session.camera.clone().map(Some),
        microphone: session.microphone.clone().map(Some),
        speaker: session.speaker.clone().map(Some),
        speak: session.speak.then_some(true),
        acks: session.no_acks.then_some(false),
        ..Layer::default()
    })
}

/// The names of readers, each once; `None` where none is given.
fn readers(given: &[String]) -> Result<Option<Names>, Failure> {
    let mut names: Vec<String> = Vec::new();
    for name in given {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let wrong =
        || Failure::new(Kind::Usage, "--reader takes names that are not empty, and at most 16 of them");
    Names::new(names).map(Some).ok_or_else(wrong)
}

/// A token that was pasted in the place of a name is refused by its form, and not repeated.
fn env_name(text: &str) -> Result<EnvName, Failure> {
    crate::config::Setting::from_text(text).ok_or_else(|| {
        let message = "--token-env takes the name of an environment variable, in capitals, digits and _, and never the token itself";
        Failure::new(Kind::Usage, message)
    })
}

/// The URL of a proxy may hold a password, so it is not repeated either.
fn proxy(text: &Token) -> Result<ProxyChoice, Failure> {
    ProxyChoice::parse(text.expose_for_header()).map_err(|fault| {
        let message = format!("--proxy takes none, environment, or http://HOST:PORT; {fault}");
        Failure::new(Kind::Usage, message)
    })
}

fn credentials(settings: &Settings, policy: UrlPolicy) -> Result<Credentials, Failure> {
    let token = match (settings.token_env.as_ref(), settings.token_file.as_ref()) {
        (Some(name), _) => Some(read_token_env(&name.0)?),
        (None, Some(path)) => Some(read_token_file(path)?),
        (None, None) => None,
    };
    let origin = settings.token_origin.as_ref().map(|url| origin(url, policy)).transpose()?;
    Ok(Credentials { token, origin })
}

fn origin(url: &str, policy: UrlPolicy) -> Result<Origin, Failure> {
    let url = policy.parse(url)?;
    Origin::of(&url).ok_or_else(|| Failure::new(Kind::Usage, "a token's origin is an https URL with a host"))
}
