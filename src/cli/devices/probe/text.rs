//! Probes for people.

use super::super::text::trouble_lines;
use unicode_width::UnicodeWidthStr;

use crate::client::devices::Trouble;
use crate::trace::found::{FrameRecord, ProbeRecord, ProbesRecord, TimeRecord};
use crate::trace::output::ApduRecord;
use crate::units::{Bytes, count};

/// Most commands of which each gets a line.
const MOST_APDUS: usize = 64;

/// How runs are shown.
pub struct Look {
    /// Columns.
    pub width: usize,
    /// How many devices were armed together: of several, each line names its own.
    pub devices: usize,
}

impl Look {
    /// One run: all of it if it is the only one, or else a line.
    pub fn run(&self, run: &ProbeRecord, of: u32) -> Vec<String> {
        let number = if of > 1 { format!("{:4}  ", run.run) } else { String::new() };
        if let Some(trouble) = &run.trouble {
            let what = "nothing was read";
            let name = self.heading(&run.name, number.width() + 2 + what.width());
            let mut lines = vec![format!("{number}{name}  {what}{}", torn(run))];
            let trouble = Trouble::new(trouble.text.clone(), trouble.hint.clone());
            lines.extend(trouble_lines(&trouble, "  ", self.width));
            return lines;
        }
        let what = what(run, of);
        let times: Vec<String> = run.times.iter().filter(|t| of == 1 || t.what != "tag").map(said).collect();
        let times = times.join(" · ");
        if of > 1 {
            let name = if self.devices > 1 { format!("{}  ", run.name) } else { String::new() };
            let times = if times.is_empty() { times } else { format!(" · {times}") };
            return vec![format!("{number}{name}{what}{}{times}", torn(run))];
        }
        let mut lines = vec![run.name.clone(), format!("  {what}{}", torn(run)), format!("  {times}")];
        lines.extend(run.no_ndef.iter().map(|why| format!("  {}{why}", if run.damaged { "! " } else { "" })));
        lines.extend(run.apdus.iter().take(MOST_APDUS).map(apdu));
        if run.apdus.len() > MOST_APDUS {
            lines.push(format!("    … and {} more", run.apdus.len() - MOST_APDUS));
        }
        lines
    }

    /// The names; of several that do not fit beside `taken` columns, how many there are.
    fn heading(&self, names: &str, taken: usize) -> String {
        if self.devices > 1 && names.width() + taken > self.width {
            format!("{} readers", self.devices)
        } else {
            names.to_owned()
        }
    }
}

/// A sentence within a line.
fn clause(sentence: &str) -> String {
    let text = sentence.trim_end_matches('.');
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        // What begins with an abbreviation stays.
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

fn torn(run: &ProbeRecord) -> String {
    match run.torn {
        None | Some(0) => String::new(),
        Some(times) => format!(" · {times} torn away on the way"),
    }
}

/// What was read. Of one among many, why there is no message stands here, for it has no other line.
fn what(run: &ProbeRecord, of: u32) -> String {
    if let Some(frame) = &run.frame {
        return picture(frame);
    }
    let technology = run.technology.as_deref().unwrap_or("a tag");
    let ndef = match run.ndef_bytes {
        Some(bytes) => format!("NDEF message of {}", count(bytes, "byte")),
        None => {
            let none = if run.damaged { "NDEF message damaged" } else { "no NDEF message" };
            let why = run.no_ndef.as_ref().filter(|_| of > 1).map(|why| format!(": {}", clause(why)));
            format!("{none}{}", why.unwrap_or_default())
        }
    };
    let apdus = match run.apdus.len() {
        0 => String::new(),
        many => format!(" · {}", count(many, "APDU")),
    };
    format!("{technology} · {ndef}{apdus}")
}

fn picture(frame: &FrameRecord) -> String {
    let FrameRecord { width, height, fourcc, bytes, frames, dropped } = frame;
    let fourcc = fourcc.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
    let bytes = bytes.map(|bytes| format!(", {}", count(bytes as usize, "byte"))).unwrap_or_default();
    let frames =
        if *frames > 1 { format!(" · frame {frames} was the first usable one") } else { String::new() };
    let dropped = if *dropped > 0 {
        format!(" · {} before it", count(*dropped as usize, "damaged one"))
    } else {
        String::new()
    };
    format!("{fourcc}{width}×{height}{bytes}{frames}{dropped}")
}

fn said(time: &TimeRecord) -> String {
    let took = milliseconds(time.us);
    match time.what {
        "tag" => format!("a tag came after {took}"),
        "apdus" => format!("in APDUs {took}"),
        other => format!("{} {took}", other.replace('_', " ")),
    }
}

/// `      30 B0 00 00     →  16 bytes  9000      812 µs`
fn apdu(apdu: &ApduRecord) -> String {
    let header: Vec<&str> =
        (0..apdu.header.len()).step_by(2).filter_map(|at| apdu.header.get(at..at + 2)).collect();
    let status = apdu.status.as_deref().unwrap_or("none");
    format!(
        "    {}  → {:>4} bytes  {status:4}  {:>9} µs",
        header.join(" "),
        apdu.answered,
        Bytes(apdu.us as usize)
    )
}

fn milliseconds(us: u64) -> String {
    format!("{:.1} ms", us as f64 / 1e3)
}

impl Look {
    /// All runs: how many read something, and how their times are spread.
    pub fn all(&self, probes: &ProbesRecord) -> Vec<String> {
        let rate = rate(probes);
        let name = self.heading(&probes.name, 2 + rate.width());
        let mut lines = vec![format!("{name}: {rate}")];
        if !probes.times.is_empty() {
            lines.push(format!("  {:14}{:>12}{:>12}{:>12}{:>12}", "", "p50", "p90", "p99", "max"));
        }
        for time in &probes.times {
            let [p50, p90, p99, max] = [time.p50_us, time.p90_us, time.p99_us, time.max_us].map(milliseconds);
            let what = time.what.replace('_', " ");
            lines.push(format!("  {what:14}{p50:>12}{p90:>12}{p99:>12}{max:>12}"));
        }
        lines
    }
}

/// `3 of 4 read (75.0 %), 2 with an NDEF message, 1 torn away on the way`: of the last two, what is not as it should be.
fn rate(probes: &ProbesRecord) -> String {
    let ProbesRecord { runs, ok, with_ndef, damaged, torn, .. } = probes;
    let rate = *ok as f64 * 100.0 / (*runs).max(1) as f64;
    let mut said = format!("{ok} of {runs} read ({rate:.1} %)");
    if let Some(with_ndef) = with_ndef.filter(|with_ndef| with_ndef < ok) {
        said.push_str(&format!(", {with_ndef} with an NDEF message"));
    }
    if let Some(damaged) = damaged.filter(|damaged| *damaged > 0) {
        said.push_str(&format!(", {damaged} damaged"));
    }
    if let Some(torn) = torn.filter(|torn| *torn > 0) {
        said.push_str(&format!(", {torn} torn away on the way"));
    }
    said
}
