//! Makes valid and invalid files of every format.

use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// An npy file with these header fields, valid or not.
pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut dict = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
    let padding = 63 - (10 + dict.len()) % 64;
    dict += &" ".repeat(padding);
    dict.push('\n');
    let length = u16::try_from(dict.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], dict.as_bytes(), data].concat()
}

/// A matrix of doubles as numpy writes it.
pub(crate) fn matrix(rows: usize, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    npy("'<f8'", false, &format!("({rows}, {})", values.len() / rows), &data)
}

/// The rows, columns and values of a little-endian npy file of doubles in C order.
pub(crate) fn values(npy: &[u8]) -> (usize, usize, Vec<f64>) {
    let end = 10 + usize::from(u16::from_le_bytes([npy[8], npy[9]]));
    let header = std::str::from_utf8(&npy[10..end]).unwrap();
    assert!(header.contains("'<f8'") && header.contains("'fortran_order': False"), "{header}");
    let shape = header.split_once('(').unwrap().1.split_once(')').unwrap().0;
    let shape: Vec<usize> = shape.split(',').map(|n| n.trim().parse().unwrap()).collect();
    let values = npy[end..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
    (shape[0], shape[1], values.collect())
}

/// A zip archive of these members, with any names.
pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let mut check = flate2::Crc::new();
        check.update(content);
        let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        deflated.write_all(content).unwrap();
        let packed = deflated.finish().unwrap();
        // Version, flags, method 8 (deflate), time and date; then check sum, sizes, length of the name, no extra.
        let mut facts = Vec::new();
        [20u16, 0, 8, 0, 0x21].iter().for_each(|v| facts.extend(v.to_le_bytes()));
        let sizes = [check.sum(), packed.len() as u32, content.len() as u32];
        sizes.iter().for_each(|v| facts.extend(v.to_le_bytes()));
        facts.extend([name.len() as u8, 0, 0, 0]);
        let offset = (out.len() as u32).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\x00", &facts[..], &[0; 10], &offset, name.as_bytes()].concat());
        out.extend([b"PK\x03\x04", &facts[..], name.as_bytes(), &packed].concat());
    }
    let (start, count) = (out.len() as u32, (members.len() as u16).to_le_bytes());
    let size = (directory.len() as u32).to_le_bytes();
    out.extend(directory);
    out.extend([b"PK\x05\x06\0\0\0\0", &count[..], &count, &size, &start.to_le_bytes(), &[0, 0]].concat());
    out
}

/// A column of a Parquet file; optional columns mark the rows that have a value.
pub(crate) enum Column<'a> {
    Double(&'a [f64], Option<&'a [i16]>),
    Int32(&'a [i32]),
    Text(&'a [&'static str]),
}

/// A Parquet file of one row group, with a schema such as `required double a;`.
pub(crate) fn parquet(schema: &str, columns: &[Column<'_>]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for values in columns {
        let mut column = group.next_column().unwrap().unwrap();
        match values {
            Column::Double(v, there) => column.typed::<DoubleType>().write_batch(v, *there, None),
            Column::Int32(v) => column.typed::<Int32Type>().write_batch(v, None, None),
            Column::Text(v) => {
                let v: Vec<ByteArray> = v.iter().map(|s| ByteArray::from(*s)).collect();
                column.typed::<ByteArrayType>().write_batch(&v, None, None)
            }
        }
        .unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}
