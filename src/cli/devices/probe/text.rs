//! Probes for people.

use super::super::text::trouble_lines;
use crate::client::devices::Trouble;
use crate::trace::found::{FrameRecord, ProbeRecord, ProbesRecord, TimeRecord};
use crate::trace::output::ApduRecord;
use crate::units::{Bytes, count};

/// Most commands of which each gets a line.
const MOST_APDUS: usize = 64;

/// One run: all of it if it is the only one, or else a line.
pub fn run(run: &ProbeRecord, of: u32, width: usize) -> Vec<String> {
    let number = if of > 1 { format!("{:4}  ", run.run) } else { String::new() };
    if let Some(trouble) = &run.trouble {
        let mut lines = vec![format!("{number}{}  nothing was read", run.name)];
        let trouble = Trouble::new(trouble.text.clone(), trouble.hint.clone());
        lines.extend(trouble_lines(&trouble, "  ", width));
        return lines;
    }
    let what = what(run);
    let times: Vec<String> = run.times.iter().filter(|t| of == 1 || t.what != "tag").map(said).collect();
    if of > 1 {
        return vec![format!("{number}{what} · {}", times.join(" · "))];
    }
    let mut lines = vec![run.name.clone(), format!("  {what}"), format!("  {}", times.join(" · "))];
    lines.extend(run.no_ndef.iter().map(|why| format!("  {why}")));
    lines.extend(run.apdus.iter().take(MOST_APDUS).map(apdu));
    if run.apdus.len() > MOST_APDUS {
        lines.push(format!("    … and {} more", run.apdus.len() - MOST_APDUS));
    }
    lines
}

fn what(run: &ProbeRecord) -> String {
    if let Some(frame) = &run.frame {
        return picture(frame);
    }
    let technology = run.technology.as_deref().unwrap_or("a tag");
    let ndef = match run.ndef_bytes {
        Some(bytes) => format!("NDEF message of {}", count(bytes, "byte")),
        None => "no NDEF message".to_owned(),
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

/// All runs: how many read something, and how their times are spread.
pub fn all(probes: &ProbesRecord) -> Vec<String> {
    let ProbesRecord { name, runs, ok, times, .. } = probes;
    let rate = *ok as f64 * 100.0 / (*runs).max(1) as f64;
    let mut lines = vec![format!("{name}: {ok} of {runs} read ({rate:.1} %)")];
    if !times.is_empty() {
        lines.push(format!("  {:14}{:>12}{:>12}{:>12}{:>12}", "", "p50", "p90", "p99", "max"));
    }
    for time in times {
        let [p50, p90, p99, max] = [time.p50_us, time.p90_us, time.p99_us, time.max_us].map(milliseconds);
        let what = time.what.replace('_', " ");
        lines.push(format!("  {what:14}{p50:>12}{p90:>12}{p99:>12}{max:>12}"));
    }
    lines
}
