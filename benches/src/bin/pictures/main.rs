//! The picture that fits, compared: encoders and filters by SSIM at the cap, beside ImageMagick.
//!
//! `pictures DIRECTORY [--write FILE]`: reads the PNG files that `benches/picture-set` makes, prints Markdown tables,
//! and with `--write` puts them between the markers of that file.

mod encoders;
mod likeness;
mod peer;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use image::RgbImage;

/// One picture of the set.
pub struct Source {
    /// Its file's name without the ending.
    pub name: String,
    /// Where it lies, for the peer.
    pub path: PathBuf,
    /// Its pixels.
    pub pixels: RgbImage,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(directory) = arguments.next() else {
        eprintln!("pictures DIRECTORY [--write FILE]");
        return ExitCode::from(2);
    };
    let write = (arguments.next().as_deref() == Some("--write")).then(|| arguments.next()).flatten();
    let sources = sources(Path::new(&directory));
    assert!(
        sources.len() >= 8,
        "{directory} holds {} pictures; make them with benches/picture-set",
        sources.len()
    );
    let all: [fn(&[Source]) -> String; 4] =
        [tables::ours_beside_the_peer, tables::encoders_at_the_cap, tables::filters, tables::size_or_quality];
    // PICTURES_TABLE=1 makes one table only, while something is being tried.
    let only = std::env::var("PICTURES_TABLE").ok().and_then(|n| n.parse::<usize>().ok());
    let chosen = all.iter().enumerate().filter(|(number, _)| only.is_none_or(|n| n == *number));
    let text = chosen.map(|(_, table)| table(&sources)).collect::<Vec<_>>().join("\n");
    println!("{text}");
    if let Some(file) = write {
        agentcall_benches::put_between_markers(Path::new(&file), "pictures", &text);
    }
    ExitCode::SUCCESS
}

fn sources(directory: &Path) -> Vec<Source> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the directory can be listed")
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "png"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| Source {
            name: path.file_stem().expect("a file has a name").to_string_lossy().into_owned(),
            pixels: image::open(&path).expect("a PNG of the set").into_rgb8(),
            path,
        })
        .collect()
}
