//! Images: a folder of image files, a single file, and table columns of paths.

#[cfg(feature = "images")]
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "images")]
use ::image::metadata::Orientation;
#[cfg(feature = "images")]
use ::image::{DynamicImage, ImageDecoder, ImageError, ImageReader};
use rayon::prelude::*;

use super::graph::folder::names;
#[cfg(feature = "images")]
use super::guard;
use super::roles::{self, Role, target_of_names};
#[cfg(feature = "images")]
use super::unpack::JUDGED_FROM;
use super::{Limits, Options, TargetKind, open};
use crate::budget;
#[cfg(feature = "images")]
use crate::budget::CountingAllocator;
use crate::data::{Categories, Column, Dataset, Image, Kind, Values};
use crate::error::{Code, Error, Place, Result, bytes};

/// The names of the image column and of the target given by subfolders.
const NAME: &str = "image";
const CLASS: &str = "class";
/// File extensions of images.
const ENDINGS: [&str; 11] = ["png", "jpg", "jpeg", "bmp", "gif", "pnm", "pbm", "pgm", "ppm", "pam", "webp"];
/// Maximum width and height in pixels.
#[cfg(feature = "images")]
const LONGEST_SIDE: u32 = 1 << 16;
/// Images of one colour compress better than text, so their decompression ratio may be larger by this factor.
const GROWTH: u64 = 4;

/// Whether a file is an image, by its extension.
pub(super) fn is_one(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// Whether the bytes begin with a signature that no text can have.
pub(super) fn is_magic(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
        || bytes.starts_with(b"\xff\xd8\xff")
        || bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP")
}

/// Whether a folder, or a folder directly in it, contains image files.
pub(super) fn holds_some(folder: &Path) -> Result<bool> {
    let files = listed(folder)?;
    Ok(!(files.own.is_empty() && files.within.is_empty()))
}

/// The image files of a folder: its own, and those of its subfolders with the subfolder's name.
struct Listed {
    own: Vec<String>,
    within: Vec<(String, String)>,
}

fn listed(folder: &Path) -> Result<Listed> {
    let mut out = Listed { own: Vec::new(), within: Vec::new() };
    for name in names(folder)? {
        let path = folder.join(&name);
        if path.is_dir() {
            let inside = names(&path)?.into_iter().filter(|n| is_one(n));
            out.within.extend(inside.map(|n| (name.clone(), n)));
        } else if is_one(&name) {
            out.own.push(name);
        }
    }
    Ok(out)
}

/// Reads the images of a folder, in order of their names. For images in subfolders, the subfolder is the class.
pub(super) fn read_folder(folder: &Path, options: &Options) -> Result<Dataset> {
    let Listed { own, within } = listed(folder)?;
    let fault = |code, reason: &str| Error::parse(Place::file(folder), code, reason);
    match (own.is_empty(), within.is_empty()) {
        (true, true) => Err(fault(Code::Empty, "no image files in the folder or its subfolders")),
        (false, false) => Err(fault(Code::Format, "image files both in the folder and in its subfolders")
            .with_hint("subfolders are classes: either all images or none must be in subfolders")),
        (false, true) => {
            let paths: Vec<PathBuf> = own.iter().map(|n| folder.join(n)).collect();
            dataset(load(&paths, &options.limits)?, own, None, folder, options)
        }
        (true, false) => {
            let paths: Vec<PathBuf> = within.iter().map(|(f, n)| folder.join(f).join(n)).collect();
            let ids = within.iter().map(|(f, n)| format!("{f}/{n}")).collect();
            let classes = Categories::from_values(within.iter().map(|(f, _)| Some(f.as_str())));
            dataset(load(&paths, &options.limits)?, ids, Some(classes), folder, options)
        }
    }
}

/// Reads one image as a data set of one object.
pub(super) fn read_file(name: &Path, bytes: &[u8], options: &Options) -> Result<Dataset> {
    let id = name.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    dataset(vec![decode(name, bytes, &options.limits, 0)?], vec![id], None, name, options)
}

fn dataset(
    images: Vec<Image>,
    ids: Vec<String>,
    classes: Option<Categories>,
    path: &Path,
    options: &Options,
) -> Result<Dataset> {
    let mut known = vec![NAME.to_owned()];
    known.extend(classes.iter().map(|_| CLASS.to_owned()));
    let roles = roles::assign(&known, options, &Place::file(path))?;
    let second = roles.get(1).copied();
    if roles[0] != Role::Feature || matches!(second, Some(Role::Group | Role::Id | Role::Weight)) {
        let reason = "image files have names and optionally classes, but no groups or weights";
        return Err(Error::parse(Place::file(path), Code::Column, reason)
            .with_hint("use a table with a column of image paths (`type=COLUMN=images`)"));
    }
    let mut columns = vec![Column::new(NAME, Values::Images(images))];
    if let (Some(classes), Some(Role::Feature)) = (&classes, second) {
        columns.push(Column::new(CLASS, Values::Categories(classes.clone())));
    }
    let data = Dataset::new(columns)?.with_ids(ids)?;
    match classes {
        Some(classes) if second == Some(Role::Target) => {
            if options.target_kind == TargetKind::Numbers {
                let reason = "folder names are classes, not numbers";
                return Err(Error::parse(Place::file(path), Code::Label, reason));
            }
            data.with_target(CLASS, target_of_names(classes))
        }
        _ => Ok(data),
    }
}

/// Whether any column is declared to hold images.
pub(super) fn are_wanted(options: &Options) -> bool {
    options.kinds.values().any(|kind| *kind == Kind::Images)
}

/// Replaces columns of paths, relative to the table, by the images at these paths.
pub(super) fn in_columns(data: Dataset, table: &Path, options: &Options) -> Result<Dataset> {
    let folder = table.parent().unwrap_or(Path::new(""));
    let mut columns = Vec::with_capacity(data.columns().len());
    for column in data.columns() {
        let (wanted, paths) = (options.kinds.get(&column.name), &column.values);
        let values = match (wanted, paths) {
            (Some(Kind::Images), Values::Strings(paths)) => {
                let named: Vec<PathBuf> = paths.iter().flatten().map(|p| folder.join(p)).collect();
                let mut loaded = load(&named, &options.limits)?.into_iter();
                let mut one = |path: &Option<String>| path.as_ref().and_then(|_| loaded.next());
                Values::Images(paths.iter().map(|p| one(p).unwrap_or_else(Image::none)).collect())
            }
            _ => column.values.clone(),
        };
        columns.push(Column::new(&column.name, values));
    }
    data.with_columns(columns)
}

/// Loads image files. The error of the first invalid file is reported.
fn load(paths: &[PathBuf], limits: &Limits) -> Result<Vec<Image>> {
    // Each image may be as large as the limit for one. The total is limited to one such image plus a multiple of the
    // file sizes. That multiple is smaller than for a single image, because few folders hold only images of one colour.
    let files: u64 = paths.iter().filter_map(|path| path.metadata().ok()).map(|m| m.len()).sum();
    let most = limits.image.saturating_add(files.saturating_mul(limits.ratio / GROWTH));
    let total = AtomicU64::new(0);
    let within = |total: u64| {
        if total <= most {
            return Ok(());
        }
        let folder = paths.first().and_then(|path| path.parent()).unwrap_or(Path::new(""));
        let reason = format!("images take more than {}, decoded from {} of files", bytes(most), bytes(files));
        Err(Error::parse(Place::file(folder), Code::Ratio, reason)
            .with_hint("if you trust the files, raise the limit with `max-ratio`"))
    };
    let one = |path: &PathBuf| {
        budget::check()?;
        let before = total.load(Ordering::Relaxed);
        within(before)?;
        let image = decode(path, &open::open(path)?, limits, before)?;
        let own = image.pixels().len() as u64;
        within(own + total.fetch_add(own, Ordering::Relaxed))?;
        Ok(image)
    };
    let one = budget::carried(one);
    // Collects all results first: the error reported must not depend on which thread fails first.
    paths.par_iter().map(one).collect::<Vec<Result<Image>>>().into_iter().collect()
}

/// Decodes an image file: PNG, JPEG, BMP, GIF (its first frame), PNM or WebP, rotated by its EXIF orientation if given.
#[cfg(feature = "images")]
fn decode(path: &Path, file: &[u8], limits: &Limits, before: u64) -> Result<Image> {
    let fault = |reason: String| Error::parse(Place::file(path), Code::Image, reason);
    if file.is_empty() {
        return Err(Error::parse(Place::file(path), Code::Empty, "the file is empty"));
    }
    // If allocations are counted, the budget already includes the other images.
    let before = if CountingAllocator::in_use() > 0 { 0 } else { before };
    let decoded = guard::caught(|| decoded(file, limits, before));
    let image = match decoded {
        Some(Ok(Decoded::Image(image))) => image,
        Some(Ok(Decoded::NoRoom(error))) => return Err(error),
        Some(Ok(Decoded::Bomb)) => {
            let reason = format!("image of more than {GROWTH} x {} times the size of its file", limits.ratio);
            return Err(Error::parse(Place::file(path), Code::Ratio, reason)
                .with_hint("if you trust the file, raise the limit with `max-ratio`"));
        }
        Some(Err(ImageError::Limits(_))) => {
            let most = bytes(limits.image);
            let reason = format!("an image of more than {most}, or more than {LONGEST_SIDE} pixels per side");
            return Err(fault(reason).with_hint("make it smaller, or raise the limit with `max-image`"));
        }
        Some(Err(error)) => return Err(fault(error.to_string())),
        None => return Err(fault("damaged image, cannot be decoded".into())),
    };
    let (width, height) = (image.width() as usize, image.height() as usize);
    let color = image.color();
    let (channels, pixels) = match (color.has_color(), color.has_alpha()) {
        (false, false) => (1, image.into_luma8().into_raw()),
        (false, true) => opaque(2, image.into_luma_alpha8().into_raw()),
        (true, false) => (3, image.into_rgb8().into_raw()),
        (true, true) => opaque(4, image.into_rgba8().into_raw()),
    };
    if pixels.is_empty() {
        return Err(fault("an image without pixels".into()));
    }
    Image::new(width, height, channels, pixels)
}

/// The error that this build cannot decode images.
#[cfg(not(feature = "images"))]
fn decode(path: &Path, _file: &[u8], _limits: &Limits, _before: u64) -> Result<Image> {
    Err(super::absent::error(path, "images", "images"))
}

/// The result of decoding a file.
#[cfg(feature = "images")]
enum Decoded {
    Image(DynamicImage),
    /// A small file declares a large image.
    Bomb,
    /// Not enough memory.
    NoRoom(Error),
}

/// Decodes an image; `before` are the bytes of other images that are not counted elsewhere.
#[cfg(feature = "images")]
fn decoded(file: &[u8], limits: &Limits, before: u64) -> Result<Decoded, ImageError> {
    let mut bounds = ::image::Limits::default();
    bounds.max_image_width = Some(LONGEST_SIDE);
    bounds.max_image_height = Some(LONGEST_SIDE);
    bounds.max_alloc = Some(limits.image);
    let mut reader = ImageReader::new(Cursor::new(file)).with_guessed_format()?;
    reader.limits(bounds.clone());
    let mut decoder = reader.into_decoder()?;
    // Decoders only limit their own buffers; the image itself is counted here, before it is allocated.
    bounds.reserve(decoder.total_bytes())?;
    let most = (file.len() as u64).saturating_mul(limits.ratio).saturating_mul(GROWTH);
    if decoder.total_bytes() > most.max(JUDGED_FROM) {
        return Ok(Decoded::Bomb);
    }
    // Twice, because decoders and conversions hold a second copy.
    if let Err(error) = budget::ask("decoding images", before.saturating_add(2 * decoder.total_bytes())) {
        return Ok(Decoded::NoRoom(error));
    }
    let upright = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder)?;
    image.apply_orientation(upright);
    Ok(Decoded::Image(image))
}

/// Removes the alpha channel if all pixels are opaque.
#[cfg(feature = "images")]
fn opaque(channels: usize, pixels: Vec<u8>) -> (usize, Vec<u8>) {
    if pixels.iter().skip(channels - 1).step_by(channels).any(|a| *a != u8::MAX) {
        return (channels, pixels);
    }
    let kept = pixels.chunks_exact(channels).flat_map(|p| &p[..channels - 1]).copied();
    (channels - 1, kept.collect())
}

#[cfg(test)]
#[cfg(feature = "images")]
#[path = "images/tests.rs"]
mod tests;
