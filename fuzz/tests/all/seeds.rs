//! Makes the first inputs of binary formats: `cargo test -p mercer-fuzz --test all -- --ignored seeds_are_made`.
//! Existing files stay unchanged.

use std::io::{Cursor, Write};
use std::sync::Arc;

use image::{ExtendedColorType, ImageFormat};
use mercer_fuzz::folder;
use parquet::basic::Compression;
use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

fn keep(target: &str, name: &str, bytes: &[u8]) {
    let folder = folder().join("corpus").join(target);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    if !path.exists() {
        std::fs::write(path, bytes).unwrap();
    }
}

fn image_file(format: ImageFormat, color: ExtendedColorType) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let pixels: Vec<u8> = (0..15 * u32::from(color.channel_count())).map(|i| (i * 37) as u8).collect();
    image::write_buffer_with_format(&mut out, &pixels, 5, 3, color, format).unwrap();
    out.into_inner()
}

fn parquet_file(compression: Compression) -> Vec<u8> {
    let schema = "message t { required double a; optional int64 n; required binary class (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[1.5, -2.0, 0.25], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[7, 8], Some(&[1, 0, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let classes = ["yes", "no", "yes"].map(|s| s.as_bytes().to_vec().into());
    column.typed::<ByteArrayType>().write_batch(&classes, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn array(rows: u64, cols: u64, dtype: &str, bytes: &[u8]) -> Vec<u8> {
    [mercer::read::npy_header(rows, cols, dtype), bytes.to_vec()].concat()
}

fn archive(method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let doubles: Vec<u8> = [1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let whole: Vec<u8> = [0i64, 1, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    for (name, content) in [("X.npy", array(3, 2, "<f8", &doubles)), ("y.npy", array(3, 1, "<i8", &whole))] {
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        writer.start_file(name, options).unwrap();
        writer.write_all(&content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
#[ignore = "writes inputs for the other tests"]
fn seeds_are_made() {
    use ExtendedColorType::{L8, La8, Rgb8, Rgba8};
    for (name, format, color) in [
        ("grey.png", ImageFormat::Png, L8),
        ("alpha.png", ImageFormat::Png, Rgba8),
        ("grey-alpha.png", ImageFormat::Png, La8),
        ("colour.bmp", ImageFormat::Bmp, Rgb8),
        ("colour.gif", ImageFormat::Gif, Rgb8),
        ("colour.jpg", ImageFormat::Jpeg, Rgb8),
        ("grey.pgm", ImageFormat::Pnm, L8),
        ("colour.ppm", ImageFormat::Pnm, Rgb8),
        ("colour.webp", ImageFormat::WebP, Rgb8),
    ] {
        keep("images", name, &image_file(format, color));
    }
    keep("sniffed", "grey.png", &image_file(ImageFormat::Png, L8));
    for (name, compression) in [
        ("plain", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("zstd", Compression::ZSTD(parquet::basic::ZstdLevel::default())),
        ("gzip", Compression::GZIP(parquet::basic::GzipLevel::default())),
        ("lz4", Compression::LZ4_RAW),
    ] {
        keep("parquet", name, &parquet_file(compression));
    }
    let square: Vec<f64> = vec![1.0, 0.5, 0.25, 0.5, 1.0, 0.125, 0.25, 0.125, 1.0];
    keep("npy", "f8", &array(3, 3, "<f8", &square.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()));
    keep(
        "npy",
        "f4-big",
        &array(3, 3, ">f4", &square.iter().flat_map(|v| (*v as f32).to_be_bytes()).collect::<Vec<_>>()),
    );
    keep("npy", "i2", &array(2, 2, "<i2", &[1, 0, 2, 0, 255, 255, 4, 0]));
    keep("npy", "bool", &array(2, 2, "|b1", &[0, 1, 1, 0]));
    keep("sniffed", "i2", &array(2, 2, "<i2", &[1, 0, 2, 0, 255, 255, 4, 0]));
    keep("npz", "stored", &archive(zip::CompressionMethod::Stored));
    keep("npz", "deflated", &archive(zip::CompressionMethod::Deflated));
    let table = b"a,b,class\n1,2,yes\n3,4,no\n5,6,yes\n";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(table).unwrap();
    keep("packed", "table.gz", &gz.finish().unwrap());
    keep("packed", "table.zst", &zstd::encode_all(&table[..], 3).unwrap());
    keep("packed", "long.zst", &zstd::encode_all(&table.repeat(200)[..], 3).unwrap());
    // Golden models: the small ones of each type of object.
    let golden = folder().join("../crates/mercer/tests/golden");
    for name in [
        "table",
        "categories",
        "strings",
        "graphs",
        "nodes",
        "steps",
        "perceptron",
        "mkl",
        "similarity",
        "text",
        "pca",
    ] {
        let bytes = std::fs::read(golden.join(format!("{name}.mercer"))).unwrap();
        keep("model-sealed", name, &bytes);
    }
    for name in ["ridge", "features"] {
        keep("model", name, &std::fs::read(golden.join(format!("{name}.mercer"))).unwrap());
    }
    keep("libsvm-model", "svc", &std::fs::read(golden.join("libsvm.model")).unwrap());
    for (name, how, numbers) in
        [("done", 2u8, &[0u64][..]), ("synced", 2, &[0, 1 << 63 | 1]), ("none", 1, &[])]
    {
        let records: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        keep("gram-journal", name, &[&[how][..], &records].concat());
    }
}
