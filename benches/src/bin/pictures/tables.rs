//! The tables, one function each.

use std::fmt::Write;
use std::time::{Duration, Instant};

use agentcall::picture::{self, MAX_SIDE, Picture};
use fast_image_resize as fir;
use image::RgbImage;
use image::imageops::{FilterType, resize, thumbnail};

use crate::Source;
use crate::encoders::{Chroma, Coder, Tables};
use crate::likeness::ssim;
use crate::peer;

/// How often each side is timed; the median counts.
const TIMES: usize = 5;

/// Our whole way from pixels to observation beside ImageMagick's from file to file.
pub fn ours_beside_the_peer(sources: &[Source]) -> String {
    let mut out = String::from(
        "### The whole way, beside ImageMagick\n\n\
         | picture | ours: size | quality | encodings | bytes | SSIM | ms | ImageMagick: bytes | SSIM | ms | without start and reading, ms | time: ours / theirs |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for source in sources {
        let (mut ours, mut theirs, mut idle) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..TIMES {
            let rgb = source.pixels.as_raw().clone();
            let start = Instant::now();
            let whole =
                Picture::from_rgb(source.pixels.width(), source.pixels.height(), rgb).expect("a picture");
            let fitted = picture::fit(&whole).expect("it fits");
            ours.push(start.elapsed());
            let made = peer::convert(&source.path);
            theirs.push(made.took);
            idle.push(peer::start_and_read(&source.path));
            last = Some((fitted, made));
        }
        let (fitted, made) = last.expect("it ran");
        let (own, other, idle) = (median(ours), median(theirs), median(idle));
        let work = other.saturating_sub(idle);
        let like = ssim(&source.pixels, &peer::pixels(fitted.jpeg.expose()));
        let _ = writeln!(
            out,
            "| {} | {}×{} | {} | {} | {} | {like:.4} | {} | {} | {:.4} | {} | {} | {:.2} |",
            source.name,
            fitted.width,
            fitted.height,
            fitted.quality,
            fitted.encodings,
            fitted.jpeg.len(),
            ms(own),
            made.bytes,
            ssim(&source.pixels, &made.pixels),
            ms(other),
            ms(work),
            own.as_secs_f64() / other.as_secs_f64(),
        );
    }
    out
}

/// Each encoder at the best quality that fits, at the full size.
pub fn encoders_at_the_cap(sources: &[Source]) -> String {
    let mut out = String::from("### Encoders at the cap: SSIM (quality)\n\n| picture |");
    for coder in Coder::ALL {
        let _ = write!(out, " {} |", coder.title());
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(Coder::ALL.len()));
    let mut spent = [Duration::ZERO; Coder::ALL.len()];
    for source in sources {
        let scaled = shrunk(&source.pixels, MAX_SIDE);
        let _ = write!(out, "| {} |", source.name);
        for (coder, spent) in Coder::ALL.into_iter().zip(&mut spent) {
            let Some((quality, jpeg)) = coder.best_that_fits(&scaled) else {
                let _ = write!(out, " does not fit |");
                continue;
            };
            let start = Instant::now();
            let _ = coder.encode(&scaled, quality);
            *spent += start.elapsed();
            let _ = write!(out, " {:.4} ({quality}) |", ssim(&source.pixels, &peer::pixels(&jpeg)));
        }
        out.push('\n');
    }
    out.push_str("| ms for one encoding, mean |");
    for spent in spent {
        let _ = write!(out, " {} |", ms(spent / u32::try_from(sources.len()).expect("few")));
    }
    out.push('\n');
    out
}

/// Filters by time, and by SSIM before any JPEG.
pub fn filters(sources: &[Source]) -> String {
    let sources: Vec<(&Source, (u32, u32))> = sources
        .iter()
        .filter(|s| s.pixels.width().max(s.pixels.height()) > MAX_SIDE)
        .map(|s| (s, shrunk(&s.pixels, MAX_SIDE).dimensions()))
        .collect();
    let mut out = String::from(
        "### Filters: mean SSIM before the JPEG, and time\n\n| filter | SSIM | ms, median |\n|---|---|---|\n",
    );
    let mut row = |name: &str, shrink: &dyn Fn(&RgbImage, (u32, u32)) -> RgbImage| {
        let (mut sum, mut took) = (0.0, Vec::new());
        for (source, size) in &sources {
            let start = Instant::now();
            let made = shrink(&source.pixels, *size);
            took.push(start.elapsed());
            sum += ssim(&source.pixels, &made);
        }
        let _ = writeln!(out, "| {name} | {:.4} | {} |", sum / sources.len() as f64, ms(median(took)));
    };
    for (name, filter) in [
        ("image, Triangle", FilterType::Triangle),
        ("image, CatmullRom", FilterType::CatmullRom),
        ("image, Lanczos3", FilterType::Lanczos3),
    ] {
        row(name, &|p, (width, height)| resize(p, width, height, filter));
    }
    row("image, thumbnail", &|p, (width, height)| thumbnail(p, width, height));
    for (name, filter) in [
        ("fast_image_resize, Box", fir::FilterType::Box),
        ("fast_image_resize, Bilinear", fir::FilterType::Bilinear),
        ("fast_image_resize, CatmullRom", fir::FilterType::CatmullRom),
        ("fast_image_resize, Lanczos3", fir::FilterType::Lanczos3),
    ] {
        row(name, &|p, size| fast(p, size, filter));
    }
    out
}

/// For each picture, the best quality that fits at ever smaller sizes: where shrinking begins to win.
pub fn size_or_quality(sources: &[Source]) -> String {
    const SIDES: [u32; 6] = [1_024, 896, 768, 640, 512, 384];
    let mut out = String::from("### Size or quality, 4:2:0 at the cap: SSIM (quality)\n\n| picture |");
    for side in SIDES {
        let _ = write!(out, " {side} |");
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(SIDES.len()));
    for source in sources {
        let _ = write!(out, "| {} |", source.name);
        for side in SIDES {
            let scaled = shrunk(&source.pixels, side);
            match Coder::Plain(Chroma::Quarter, Tables::Standard).best_that_fits(&scaled) {
                Some((quality, jpeg)) => {
                    let _ = write!(out, " {:.4} ({quality}) |", ssim(&source.pixels, &peer::pixels(&jpeg)));
                }
                None => out.push_str(" does not fit |"),
            }
        }
        out.push('\n');
    }
    out
}

/// A picture of the program's, with no side over `side`: the size and the filter that it really uses.
fn shrunk(picture: &RgbImage, side: u32) -> RgbImage {
    let whole =
        Picture::from_rgb(picture.width(), picture.height(), picture.as_raw().clone()).expect("a picture");
    let small = whole.shrunk_to(side);
    RgbImage::from_raw(small.width(), small.height(), small.expose_rgb().to_vec())
        .expect("three bytes a pixel")
}

fn fast(picture: &RgbImage, (width, height): (u32, u32), filter: fir::FilterType) -> RgbImage {
    let source = fir::images::ImageRef::new(picture.width(), picture.height(), picture, fir::PixelType::U8x3)
        .expect("three bytes a pixel");
    let mut target = fir::images::Image::new(width, height, fir::PixelType::U8x3);
    let options = fir::ResizeOptions::new().resize_alg(fir::ResizeAlg::Convolution(filter));
    fir::Resizer::new().resize(&source, &mut target, &options).expect("both are RGB");
    RgbImage::from_raw(width, height, target.into_vec()).expect("three bytes a pixel")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1_000.0)
}
