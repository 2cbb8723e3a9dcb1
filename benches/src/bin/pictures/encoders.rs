//! The encoders under comparison, each as "this picture at this quality".

use agentcall::picture::MAX_JPEG_BYTES;
use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use jpeg_encoder::{ColorType, Encoder, QuantizationTableType, SamplingFactor};

/// An encoder and how it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coder {
    /// `image`, which writes 4:4:4 only.
    Image,
    /// `jpeg-encoder`: chroma at a quarter of the pixels (4:2:0) or at all of them (4:4:4).
    Plain(Chroma, Tables),
    /// The same, progressive, with Huffman tables made for the picture.
    Progressive(Chroma, Tables),
    /// `mozjpeg` with its defaults (progressive, trellis quantisation).
    Moz(Chroma),
}

/// How much of the colour is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chroma {
    /// 4:2:0.
    Quarter,
    /// 4:4:4.
    Whole,
}

/// The quantisation tables that a quality scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Annex K of ITU-T T.81.
    Standard,
    /// Tuned for MS-SSIM.
    MsSsim,
    /// Tuned for PSNR-HVS.
    PsnrHvs,
    /// N. Robidoux's, of ImageMagick's forum.
    Robidoux,
}

impl Coder {
    /// All that are compared, in the order of the table.
    pub const ALL: [Self; 12] = [
        Self::Image,
        Self::Plain(Chroma::Quarter, Tables::Standard),
        Self::Plain(Chroma::Quarter, Tables::MsSsim),
        Self::Plain(Chroma::Quarter, Tables::PsnrHvs),
        Self::Plain(Chroma::Quarter, Tables::Robidoux),
        Self::Plain(Chroma::Whole, Tables::Standard),
        Self::Plain(Chroma::Whole, Tables::MsSsim),
        Self::Plain(Chroma::Whole, Tables::Robidoux),
        Self::Progressive(Chroma::Quarter, Tables::Robidoux),
        Self::Progressive(Chroma::Whole, Tables::Robidoux),
        Self::Moz(Chroma::Quarter),
        Self::Moz(Chroma::Whole),
    ];

    /// The head of its column.
    pub fn title(self) -> String {
        match self {
            Self::Image => "image 4:4:4".to_owned(),
            Self::Plain(chroma, tables) => format!("jpeg-encoder {} {}", chroma.title(), tables.title()),
            Self::Progressive(chroma, tables) => {
                format!("jpeg-encoder {} {} progressive", chroma.title(), tables.title())
            }
            Self::Moz(chroma) => format!("mozjpeg {}", chroma.title()),
        }
    }

    /// The JPEG at this quality, 1 to 100.
    pub fn encode(self, picture: &RgbImage, quality: u8) -> Vec<u8> {
        match self {
            Self::Image => {
                let mut out = Vec::new();
                JpegEncoder::new_with_quality(&mut out, quality).encode_image(picture).expect("it encodes");
                out
            }
            Self::Plain(chroma, tables) => plain(picture, quality, chroma, tables, false),
            Self::Progressive(chroma, tables) => plain(picture, quality, chroma, tables, true),
            Self::Moz(chroma) => moz(picture, quality, chroma),
        }
    }

    /// The best quality that fits the wire, and its JPEG; none when nothing fits.
    pub fn best_that_fits(self, picture: &RgbImage) -> Option<(u8, Vec<u8>)> {
        let (mut low, mut high, mut best) = (1, 100, None);
        while low <= high {
            let quality = low + (high - low) / 2;
            let jpeg = self.encode(picture, quality);
            if jpeg.len() <= MAX_JPEG_BYTES {
                best = Some((quality, jpeg));
                low = quality + 1;
            } else {
                high = quality - 1;
            }
        }
        best
    }
}

impl Chroma {
    const fn title(self) -> &'static str {
        match self {
            Self::Quarter => "4:2:0",
            Self::Whole => "4:4:4",
        }
    }
}

impl Tables {
    const fn title(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::MsSsim => "MS-SSIM",
            Self::PsnrHvs => "PSNR-HVS",
            Self::Robidoux => "Robidoux",
        }
    }

    const fn table(self) -> QuantizationTableType {
        match self {
            Self::Standard => QuantizationTableType::Default,
            Self::MsSsim => QuantizationTableType::CustomMsSsim,
            Self::PsnrHvs => QuantizationTableType::CustomPsnrHvs,
            Self::Robidoux => QuantizationTableType::ImageMagick,
        }
    }
}

fn plain(picture: &RgbImage, quality: u8, chroma: Chroma, tables: Tables, progressive: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, quality);
    encoder.set_sampling_factor(match chroma {
        Chroma::Quarter => SamplingFactor::F_2_2,
        Chroma::Whole => SamplingFactor::F_1_1,
    });
    encoder.set_quantization_tables(tables.table(), tables.table());
    encoder.set_progressive(progressive);
    encoder.set_optimized_huffman_tables(progressive);
    let side = |n: u32| u16::try_from(n).expect("a side of a JPEG");
    encoder
        .encode(picture, side(picture.width()), side(picture.height()), ColorType::Rgb)
        .expect("it encodes");
    out
}

fn moz(picture: &RgbImage, quality: u8, chroma: Chroma) -> Vec<u8> {
    let mut encoder = mozjpeg::Compress::new(mozjpeg::ColorSpace::JCS_RGB);
    encoder.set_size(picture.width() as usize, picture.height() as usize);
    encoder.set_quality(f32::from(quality));
    let pixels = match chroma {
        Chroma::Quarter => (2, 2),
        Chroma::Whole => (1, 1),
    };
    encoder.set_chroma_sampling_pixel_sizes(pixels, pixels);
    let mut started = encoder.start_compress(Vec::new()).expect("it starts");
    started.write_scanlines(picture).expect("it encodes");
    started.finish().expect("it ends")
}
