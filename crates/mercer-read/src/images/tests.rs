use ::image::codecs::jpeg::JpegEncoder;
use ::image::{ExtendedColorType, ImageEncoder, ImageFormat};

use super::*;
use crate::{read, read_bytes};

/// A file in the given format: pixel (x, y) is 40·x + 3·y in each channel, plus the channel.
fn file(format: ImageFormat, width: u32, height: u32, color: ExtendedColorType) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let pixels = pixels(width, height, color.channel_count() as usize);
    ::image::write_buffer_with_format(&mut out, &pixels, width, height, color, format).unwrap();
    out.into_inner()
}

fn pixels(width: u32, height: u32, channels: usize) -> Vec<u8> {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    places.flat_map(|(x, y)| (0..channels).map(move |c| (40 * x + 3 * y + c as u32) as u8)).collect()
}

fn one(bytes: &[u8]) -> Result<Image> {
    decode(Path::new("a.image"), bytes, &Limits::default(), 0)
}

#[test]
fn lossless_formats_keep_the_pixels() {
    use ExtendedColorType::{L8, La8, Rgb8, Rgba8};
    for (format, color) in [
        (ImageFormat::Png, L8),
        (ImageFormat::Png, La8),
        (ImageFormat::Png, Rgb8),
        (ImageFormat::Png, Rgba8),
        (ImageFormat::Bmp, Rgb8),
        (ImageFormat::Pnm, Rgb8),
        (ImageFormat::Pnm, L8),
        (ImageFormat::WebP, Rgb8),
        (ImageFormat::WebP, Rgba8),
    ] {
        let image = one(&file(format, 5, 3, color)).unwrap();
        let channels = color.channel_count() as usize;
        assert_eq!(
            (image.width(), image.height(), image.channels()),
            (5, 3, channels),
            "{format:?} {color:?}"
        );
        assert_eq!(image.pixels(), pixels(5, 3, channels), "{format:?} {color:?}");
    }
    let single = one(&file(ImageFormat::Png, 1, 1, L8)).unwrap();
    assert_eq!((single.width(), single.height(), single.pixels()), (1, 1, &[0][..]));
}

#[test]
fn lossy_formats_are_close() {
    let flat = vec![200u8; 8 * 8 * 3];
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 95).write_image(&flat, 8, 8, ExtendedColorType::Rgb8).unwrap();
    let image = one(&jpeg).unwrap();
    assert_eq!((image.width(), image.height(), image.channels()), (8, 8, 3));
    assert!(image.pixels().iter().all(|p| p.abs_diff(200) <= 2));
    // A GIF without transparency has no alpha channel.
    let gif = file(ImageFormat::Gif, 4, 4, ExtendedColorType::Rgb8);
    let image = one(&gif).unwrap();
    assert_eq!((image.width(), image.height(), image.channels()), (4, 4, 3));
}

#[test]
fn sixteen_bits_are_rounded_to_eight() {
    let mut out = Cursor::new(Vec::new());
    let wide: Vec<u16> = vec![0, 65535, 257 * 17, 257 * 18];
    let buffer = ::image::ImageBuffer::<::image::Luma<u16>, _>::from_raw(2, 2, wide).unwrap();
    DynamicImage::ImageLuma16(buffer).write_to(&mut out, ImageFormat::Png).unwrap();
    assert_eq!(one(&out.into_inner()).unwrap().pixels(), [0, 255, 17, 18]);
}

#[test]
fn damaged_files_are_errors_with_their_name() {
    for format in [ImageFormat::Png, ImageFormat::Bmp, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Pnm]
    {
        let whole = file(format, 9, 7, ExtendedColorType::Rgb8);
        for length in 0..whole.len() {
            if let Err(error) = one(&whole[..length]) {
                let expected = if length == 0 { Code::Empty } else { Code::Image };
                assert_eq!(error.code(), expected, "{format:?} {length}: {error}");
                assert!(error.to_string().contains("a.image"));
            }
        }
        assert!(one(&whole[..whole.len() / 2]).is_err(), "{format:?}");
        // Changing any byte gives an error or an image, never a panic.
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            let _ = one(&bytes);
        }
    }
    assert_eq!(one(b"not an image at all").unwrap_err().code(), Code::Image);
}

#[test]
fn images_above_the_limits_are_rejected_before_decoding() {
    let bytes = file(ImageFormat::Png, 40, 30, ExtendedColorType::Rgb8);
    let limits = |image| Limits { image, ..Limits::default() };
    assert_eq!(decode(Path::new("a.png"), &bytes, &limits(3600), 0).unwrap().width(), 40);
    let error = decode(Path::new("a.png"), &bytes, &limits(3599), 0).unwrap_err();
    assert_eq!(error.code(), Code::Image);
    assert!(error.to_string().contains("more than"), "{error}");
    // Headers that declare huge images.
    for header in ["P6 4000000000 4000000000 255\n", "P6 65536 65536 255\n", "P5 1 70000 255\n"] {
        assert_eq!(one(header.as_bytes()).unwrap_err().code(), Code::Image, "{header}");
    }
}

fn folder(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (i, name) in files.iter().enumerate() {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file(ImageFormat::Png, i as u32 + 1, 2, ExtendedColorType::L8)).unwrap();
    }
    dir
}

fn widths(data: &Dataset, column: &str) -> Vec<usize> {
    let Values::Images(images) = &data.column(column).unwrap().values else { panic!("no images") };
    images.iter().map(Image::width).collect()
}

#[test]
fn subfolders_are_classes() {
    let dir = folder(&["dog/2.png", "cat/b.PNG", "cat/a.png", "dog/10.png"]);
    std::fs::write(dir.path().join("README.txt"), "hello").unwrap();
    let options = Options::default();
    assert_eq!(crate::format_of(dir.path(), &options).unwrap(), crate::Format::Images);
    let data = read(dir.path(), &options).unwrap();
    assert_eq!(data.ids().unwrap(), ["cat/a.png", "cat/b.PNG", "dog/10.png", "dog/2.png"]);
    assert_eq!(widths(&data, "image"), [3, 2, 4, 1]);
    let Some(crate::data::Target::Classes(classes)) = data.target() else { panic!("no classes") };
    assert_eq!((0..4).filter_map(|i| classes.get(i)).collect::<Vec<_>>(), ["cat", "cat", "dog", "dog"]);
    let none = read(dir.path(), &Options { no_target: true, ..Options::default() }).unwrap();
    assert!(none.target().is_none() && none.column("class").is_ok());
    let other = Options { target: Some("breed".into()), ..Options::default() };
    assert_eq!(read(dir.path(), &other).unwrap_err().code(), Code::Target);
    let grouped = Options { group: Some("class".into()), ..Options::default() };
    assert_eq!(read(dir.path(), &grouped).unwrap_err().code(), Code::Column);
}

#[test]
fn plain_folders_and_single_files() {
    let dir = folder(&["b.png", "a.png"]);
    let data = read(dir.path(), &Options::default()).unwrap();
    assert_eq!(data.ids().unwrap(), ["a.png", "b.png"]);
    assert!(data.target().is_none());
    let single = read(&dir.path().join("a.png"), &Options::default()).unwrap();
    assert_eq!((single.ids().unwrap(), widths(&single, "image")), (&["a.png".to_owned()][..], vec![2]));
    let bytes = std::fs::read(dir.path().join("a.png")).unwrap();
    assert_eq!(read_bytes(Path::new("x"), &bytes, &Options::default()).unwrap().columns(), single.columns());
    std::fs::create_dir(dir.path().join("in")).unwrap();
    std::fs::copy(dir.path().join("a.png"), dir.path().join("in/c.png")).unwrap();
    assert_eq!(read(dir.path(), &Options::default()).unwrap_err().code(), Code::Format);
    std::fs::remove_dir_all(dir.path().join("in")).unwrap();
    std::fs::write(dir.path().join("b.png"), "not an image").unwrap();
    let error = read(dir.path(), &Options::default()).unwrap_err();
    assert_eq!(error.code(), Code::Image);
    assert!(error.to_string().contains("b.png"), "{error}");
}

#[test]
fn columns_of_paths() {
    let dir = folder(&["photos/a.png", "photos/b.png"]);
    let table = dir.path().join("people.csv");
    std::fs::write(&table, "photo,age\nphotos/b.png,3\n,4\nphotos/a.png,5\n").unwrap();
    let options = Options { kinds: [("photo".to_owned(), Kind::Images)].into(), ..Options::default() };
    let data = read(&table, &options).unwrap();
    assert_eq!(widths(&data, "photo"), [2, 0, 1]);
    let missing = &data.column("photo").unwrap().values;
    assert_eq!((0..3).map(|i| missing.is_missing(i)).collect::<Vec<_>>(), [false, true, false]);
    let dropped = Options { missing: Some(crate::Missing::Drop), ..options.clone() };
    assert_eq!(widths(&read(&table, &dropped).unwrap(), "photo"), [2, 1]);
    std::fs::write(&table, "photo,age\nphotos/z.png,3\n").unwrap();
    let error = read(&table, &options).unwrap_err();
    assert!(error.code() == Code::IoOpen && error.to_string().contains("z.png"), "{error}");
}

#[test]
fn manifests_join_images() {
    let dir = folder(&["photos/a.png", "photos/c.png"]);
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("people.csv", "who,class\na.png,x\nb.png,y\nc.png,x\n");
    write("faces.csv", "who,face\nb.png,photos/a.png\nc.png,photos/c.png\na.png,photos/c.png\n");
    write(
        "all.toml",
        "[[file]]\npath = \"people.csv\"\nid = \"who\"\n[[file]]\npath = \"photos\"\nmissing = \"keep\"\n\
         [[file]]\npath = \"faces.csv\"\nid = \"who\"\ntypes = { face = \"images\" }\n",
    );
    let data = read(&dir.path().join("all.toml"), &Options::default()).unwrap();
    assert_eq!((widths(&data, "image"), widths(&data, "face")), (vec![1, 0, 2], vec![2, 1, 2]));
}
