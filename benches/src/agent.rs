//! An agent that does nothing but talk: frames encoded beforehand, written as fast as the socket takes them or at a
//! pace. It serves a card, a session at `/agui`, and at `/print` the same frames to whoever connects, for a peer that
//! merely prints.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;

use crate::frames::{CLOSE, Stream, TEXT, frame};

/// What the agent has sent and got so far, over all its connections.
#[derive(Debug, Default)]
pub struct Counts {
    /// Blocks of frames that were written.
    pub blocks: AtomicU64,
    /// Acks that came.
    pub acks: AtomicU64,
}

/// The agent. It goes with the process.
pub struct Agent {
    address: SocketAddr,
    /// What it has sent and got.
    pub counts: Arc<Counts>,
}

impl Agent {
    /// Starts it on a free port of this machine. The stream waits for a turn of the user; `pace` is the time from one
    /// block to the next.
    ///
    /// # Panics
    /// When no port is to be had.
    pub fn start(stream: Stream, pace: Option<Duration>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this machine");
        let address = listener.local_addr().expect("a bound socket has an address");
        let (stream, counts) = (Arc::new(stream), Arc::new(Counts::default()));
        let agent = Self { address, counts: Arc::clone(&counts) };
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (stream, counts) = (Arc::clone(&stream), Arc::clone(&counts));
                // A client that goes ends its connection and nothing else.
                std::thread::spawn(move || serve(&socket, address, &stream, pace, &counts).ok());
            }
        });
        agent
    }

    /// Its origin, for `agentcall`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the frames are to be had without a session.
    pub fn print_url(&self) -> String {
        format!("ws://{}/print", self.address)
    }
}

fn serve(
    socket: &TcpStream,
    address: SocketAddr,
    stream: &Stream,
    pace: Option<Duration>,
    counts: &Counts,
) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket.try_clone()?);
    let (path, key) = asked(&mut reader)?;
    let Some(key) = key else { return answer_card(socket, address) };
    let accept = derive_accept_key(key.as_bytes());
    let mut out = socket;
    write!(
        out,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    if path == "/print" {
        stream.blocks.iter().try_for_each(|block| out.write_all(block))?;
        say_goodbye(out)?;
        // What was not read when a socket is closed resets it, and what is still on its way would be lost.
        return io::copy(&mut reader, &mut io::sink()).map(drop);
    }
    std::thread::scope(|scope| {
        let (heard, hear) = channel();
        scope.spawn(move || listen(reader, &heard, counts));
        talk(socket, stream, pace, &hear, counts)
    })
}

/// Reads a request: its path, and the key of an upgrade.
fn asked(reader: &mut impl BufRead) -> io::Result<(String, Option<String>)> {
    let (mut line, mut key) = (String::new(), None);
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    loop {
        line.clear();
        if reader.read_line(&mut line)? <= 2 {
            return Ok((path, key));
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("sec-websocket-key")
        {
            key = Some(value.trim().to_owned());
        }
    }
}

fn answer_card(mut socket: &TcpStream, address: SocketAddr) -> io::Result<()> {
    let card = format!(
        r#"{{"name":"Bench","description":"Talks.","version":"1","supportedInterfaces":[],"capabilities":{{"extensions":[{{"uri":"https://agentcall.smartycode.com/ext/agentcall-agui/0.1","required":false,"params":{{"schemaVersion":"0.1","agui":{{"url":"http://{address}/agui","transport":"websocket","session":{{"resume":false,"replay":false}}}},"voice":{{"owner":"client"}},"physicalObservations":{{"accepted":["nfc","photo"],"agentRequests":["nfc","photo"]}}}}}}]}},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{{"id":"talk","name":"Talk","description":"Talks.","tags":["text"]}}]}}"#
    );
    write!(
        socket,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{card}",
        card.len()
    )
}

/// What the client has said.
enum Heard {
    Start,
    Turn,
    Close,
}

fn talk(
    mut socket: &TcpStream,
    stream: &Stream,
    pace: Option<Duration>,
    hear: &Receiver<Heard>,
    counts: &Counts,
) -> io::Result<()> {
    let until = |wanted: fn(&Heard) -> bool| hear.iter().any(|heard| wanted(&heard));
    let mut blocks = stream.blocks.iter();
    if until(|heard| matches!(heard, Heard::Start)) {
        blocks.next().map_or(Ok(()), |block| socket.write_all(block))?;
    }
    if until(|heard| matches!(heard, Heard::Turn)) {
        let start = Instant::now();
        for (number, block) in blocks.enumerate() {
            if let Some(pace) = pace {
                let due = pace * u32::try_from(number).unwrap_or(u32::MAX);
                std::thread::sleep(due.saturating_sub(start.elapsed()));
            }
            socket.write_all(block)?;
            counts.blocks.fetch_add(1, Relaxed);
        }
    }
    until(|heard| matches!(heard, Heard::Close));
    say_goodbye(socket)
}

fn say_goodbye(mut socket: &TcpStream) -> io::Result<()> {
    let mut close = Vec::new();
    frame(&mut close, CLOSE, &1000_u16.to_be_bytes());
    socket.write_all(&close)?;
    socket.shutdown(std::net::Shutdown::Write)
}

/// Reads masked frames to the end, counts acks and tells what else matters.
fn listen(mut reader: impl Read, heard: &Sender<Heard>, counts: &Counts) -> io::Result<()> {
    loop {
        let (opcode, payload) = match read_frame(&mut reader) {
            Ok(read) => read,
            Err(error) => {
                let _gone = heard.send(Heard::Close);
                return Err(error);
            }
        };
        let has = |kind: &str| payload.windows(kind.len()).any(|part| part == kind.as_bytes());
        match opcode {
            TEXT if has(r#""ack""#) => drop(counts.acks.fetch_add(1, Relaxed)),
            TEXT if has(r#""session.start""#) => drop(heard.send(Heard::Start)),
            TEXT if has(r#""user.turn""#) => drop(heard.send(Heard::Turn)),
            CLOSE => drop(heard.send(Heard::Close)),
            _ => {}
        }
    }
}

fn read_frame(reader: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    reader.read_exact(&mut head)?;
    let length = match head[1] & 0x7f {
        126 => u64::from(u16::from_be_bytes(read_array(reader)?)),
        127 => u64::from_be_bytes(read_array(reader)?),
        short => u64::from(short),
    };
    let mask: [u8; 4] = read_array(reader)?;
    let mut payload = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    reader.read_exact(&mut payload)?;
    payload.iter_mut().zip(mask.iter().cycle()).for_each(|(byte, mask)| *byte ^= mask);
    Ok((head[0] & 0x0f, payload))
}

fn read_array<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut array = [0; N];
    reader.read_exact(&mut array)?;
    Ok(array)
}
