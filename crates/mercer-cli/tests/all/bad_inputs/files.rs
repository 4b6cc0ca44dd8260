//! Rows 1 to 12: files in general, whatever their content.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{ARFF, FASTA, SERIES, TABLE, TEXTS};
use crate::make::{gz, matrix, zip, zst};
use crate::run::Folder;
use crate::trust::{Row, skipped};

#[test]
fn row_1_files_that_cannot_be_opened() {
    let row = Row::new(1);
    let folder = Folder::new();
    folder.write("a.csv", TABLE);
    let missing = "E_IO_OPEN No such file or directory (os error 2)";
    row.refused(&folder, "gram none.csv -k linear -o K.npy", &format!("none.csv {missing}"));
    row.refused(&folder, "gram a.csv --new none.csv -k linear -o K.npy", &format!("none.csv {missing}"));
    row.refused(&folder, "predict none.mercer a.csv -o p.csv", &format!("none.mercer {missing}"));
    row.refused(&folder, "report none.json -o r.html", &format!("none.json {missing}"));
    row.refused(&folder, "gram a/b/c.csv -k linear -o K.npy", "a/b/c.csv E_IO_OPEN ");
    std::fs::create_dir(folder.path("d.csv")).unwrap();
    let directory = "d.csv E_IO_OPEN Is a directory (os error 21)";
    row.refused(&folder, "gram d.csv -k linear -o K.npy", directory);
    row.refused(&folder, "predict d.csv a.csv -o p.csv", directory);
    row.refused(&folder, "report d.csv -o r.html", directory);
}

#[test]
fn row_1_files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let row = Row::new(1);
    let folder = Folder::new();
    folder.write("a.csv", TABLE);
    std::fs::set_permissions(folder.path("a.csv"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = folder.command("gram a.csv -k linear -o K.npy");
    if rustix::process::geteuid().is_root() {
        // Permissions do not stop root; the user nobody has none.
        command.uid(65534).gid(65534);
    }
    row.tried();
    let Ok(output) = command.output() else {
        skipped("bad-inputs", "another user cannot run the program where it was built");
        return;
    };
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("a.csv E_IO_OPEN Permission denied (os error 13)"), "{error}");
}

#[test]
fn row_2_empty_files() {
    let row = Row::new(2);
    for ending in [
        "", ".csv", ".tsv", ".libsvm", ".arff", ".npy", ".npz", ".parquet", ".ts", ".fasta", ".gml",
        ".graphml", ".sdf", ".toml", ".txt", ".zip",
    ] {
        row.bad(&format!("a{ending}"), "", &format!("a{ending} E_EMPTY "));
    }
    row.bad("a.csv.gz", gz(b""), "a.csv.gz E_EMPTY ");
    row.bad("a.csv.zst", zst(b""), "a.csv.zst E_EMPTY ");
}

#[test]
fn row_3_only_blank_lines_and_comments() {
    let row = Row::new(3);
    for (name, comment) in [
        ("a.csv", "# nothing\n"),
        ("a.libsvm", "# nothing\n"),
        ("a.arff", "% nothing\n"),
        ("a.ts", "# nothing\n"),
        ("a.gml", "# nothing\n"),
        ("a.toml", "# nothing\n"),
    ] {
        row.bad(name, "\n \n\t\n", &format!("{name} E_EMPTY "));
        row.bad(name, format!("\n{comment}\n"), &format!("{name} E_EMPTY "));
    }
    for name in ["a.fasta", "a.graphml", "a.sdf"] {
        row.bad(name, "\n \n\t\n", &format!("{name} E_EMPTY "));
    }
}

#[test]
fn rows_4_7_and_9_ways_to_write_the_same() {
    let (marked, ended, unended) = (Row::new(4), Row::new(7), Row::new(9));
    for (name, text, kernel) in TEXTS
        .map(|(name, text)| (name, text, "linear"))
        .into_iter()
        .chain([("a.ts", SERIES, "dtw"), ("a.fasta", FASTA, "spectrum(k=2)")])
    {
        let gram = |row: &Row, text: String| {
            row.tried();
            let folder = Folder::new();
            folder.write(name, text);
            folder.ok(&format!("gram {name} -k {kernel} -o K.npy -q"));
            folder.read("K.npy")
        };
        let plain = gram(&unended, text.to_owned());
        assert!(gram(&marked, format!("\u{FEFF}{text}")) == plain, "{name}, a byte order mark");
        assert!(gram(&ended, text.replace('\n', "\r\n")) == plain, "{name}, CRLF");
        assert!(gram(&ended, text.replace('\n', "\r")) == plain, "{name}, CR");
        assert!(gram(&unended, text.trim_end().to_owned()) == plain, "{name}, no end");
        assert!(gram(&unended, format!("{text}\n\n")) == plain, "{name}, more ends");
    }
}

#[test]
fn rows_5_and_6_not_utf_8() {
    let (wide, nul) = (Row::new(5), Row::new(6));
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (name, text) in TEXTS.into_iter().chain([("a.ts", SERIES), ("a.fasta", FASTA)]) {
        // UTF-16 with its mark is read, and refused strictly.
        let little = [b"\xFF\xFE", &utf16(text)[..]].concat();
        let big: Vec<u8> = little.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        let folder = Folder::new();
        for bytes in [&little, &big] {
            folder.write(name, bytes);
            let expected = format!("{name}:1:1 E_ENCODING UTF-16 byte order mark at byte offset 0");
            wide.refused(&folder, &format!("inspect {name} -q --strict"), &expected);
            wide.tried();
            let run = folder.ok(&format!("inspect {name}"));
            assert!(run.err.contains("W_ENCODING"), "{}", run.err);
        }
        wide.bad(name, &little[..little.len() - 1], &format!("{name} E_ENCODING UTF-16 cut"));
        // In the middle of the third line.
        let at = text.match_indices('\n').nth(1).unwrap().0 + 2;
        let broken = format!("{}\0{}", &text[..at], &text[at..]);
        nul.bad(name, broken, &format!("{name}:3:2 E_ENCODING NUL byte at byte offset {at}"));
    }
    let folder = Folder::new();
    folder.write("a.csv", b"a,b\n1,\xE9\n");
    nul.refused(&folder, "inspect a.csv -q --strict", "a.csv:2:3 E_ENCODING ");
    nul.tried();
    assert!(folder.ok("inspect a.csv").err.contains("W_ENCODING a.csv is read as windows-1252"));
    nul.bad(
        "a.csv",
        "a,b\né,1\n".bytes().chain(*b"\xE9,2\n").collect::<Vec<_>>(),
        "a.csv:3:1 E_ENCODING mixed encodings",
    );
    nul.bad("a.csv", b"a,b\n1,\x81\xE9\n", "a.csv:2:3 E_ENCODING ");
}

#[test]
fn row_8_a_line_of_ten_megabytes() {
    let row = Row::new(8);
    let line = " ".repeat(10_000_000);
    let folder = Folder::new();
    folder.write("a.csv", format!("a,b\n{line}1,2\n"));
    let run = row.refused(&folder, "gram a.csv -k linear -o K.npy -q", "a.csv:2:1 E_LINE_TOO_LONG ");
    assert!(run.err.contains("--max-line"), "{}", run.err);
    row.tried();
    folder.ok("gram a.csv -k linear -o K.npy -q --max-line 11000000");
    row.bad("a.libsvm", format!("1{line}1:1\n"), "a.libsvm:1:1 E_LINE_TOO_LONG ");
    row.bad("a.arff", ARFF.replace("1,2,p", &format!("1,{line}2,p")), "a.arff:6:1 E_LINE_TOO_LONG ");
    row.bad("a.ts", SERIES.replace("2,3:up", &format!("2,{line}3:up")), "a.ts:4:1 E_LINE_TOO_LONG ");
}

#[test]
fn row_10_files_cut_short() {
    let row = Row::new(10);
    row.bad("a.csv", "a,b,c\n1,2,3\n4,5", "a.csv:3:1 E_TRUNCATED the file ends after 2 of 3 fields");
    row.bad("a.csv", "a,b\n1,2\n3,\"4", "a.csv:3:3 E_QUOTE ");
    row.bad("a.libsvm", "1 1:2\n-1 1:3 2:", "a.libsvm:2:8 E_TRUNCATED ");
    row.bad("a.arff", ARFF.split_once("@attribute class").unwrap().0, "a.arff:4:1 E_TRUNCATED ");
    row.bad("a.arff", format!("{ARFF}1,2,'p"), "a.arff:9:5 E_TRUNCATED ");
    row.bad("a.arff", format!("{ARFF}1,2"), "a.arff:9:1 E_TRUNCATED ");
    let packed = gz(TABLE.as_bytes());
    row.bad("a.csv.gz", &packed[..packed.len() - 9], "a.csv.gz E_TRUNCATED ");
    let packed = zst(TABLE.as_bytes());
    row.bad("a.csv.zst", &packed[..packed.len() - 3], "a.csv.zst E_TRUNCATED ");
    let packed = zip(&[("x.npy", &matrix(2, &[1.0, 2.0, 3.0, 4.0]))]);
    row.bad("a.npz", &packed[..packed.len() / 2], "a.npz E_TRUNCATED ");
    let array = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    row.bad("a.npy", &array[..array.len() - 3], "a.npy E_NPY_SHORT ");
    row.bad("a.npy", &array[..40], "a.npy E_NPY_");
}

/// Runs the program while another thread changes its file, until it reports the change.
#[track_caller]
fn changed_meanwhile(row: &Row, change: impl Fn(&std::fs::File, u64) + Sync) {
    row.tried();
    let folder = Folder::new();
    let text = format!("a,b\n{}", "1,2\n".repeat(500_000));
    folder.write("a.csv", &text);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = std::fs::File::options().append(true).open(folder.path("a.csv")).unwrap();
            while !done.load(Ordering::Relaxed) {
                change(&file, text.len() as u64);
            }
        });
        // Without a change during reading, a run reads a complete file, or one that was complete briefly. It never
        // crashes.
        let noticed = (0..40).any(|_| {
            let run = folder.run("inspect a.csv -q");
            assert!(matches!(run.code, Some(0 | 2)), "{:?} {}", run.code, run.err);
            run.code == Some(2) && run.err.starts_with("a.csv E_CHANGED ")
        });
        done.store(true, Ordering::Relaxed);
        assert!(noticed, "forty runs detected nothing");
    });
}

#[test]
fn row_11_files_that_grow_or_shrink_while_read() {
    use std::io::Write;
    let row = Row::new(11);
    changed_meanwhile(&row, |mut file, _| {
        file.write_all(b"3,4\n").unwrap();
        std::thread::sleep(Duration::from_micros(20));
    });
    changed_meanwhile(&row, |file, length| {
        for share in [2, 1, 1000, 1] {
            file.set_len(length / share).unwrap();
            std::thread::sleep(Duration::from_micros(100));
        }
    });
}

#[test]
fn row_12_no_regular_file() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let row = Row::new(12);
    let folder = Folder::new();
    std::os::unix::fs::symlink("b.csv", folder.path("a.csv")).unwrap();
    std::os::unix::fs::symlink("a.csv", folder.path("b.csv")).unwrap();
    mknodat(CWD, folder.path("fifo.csv"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("s.csv")).unwrap();
    folder.write("good.csv", TABLE);
    folder.write("a.fasta", FASTA);
    folder.write("nodes.csv", "id,class\nu,p\nv,q\n");
    for name in ["a.csv", "fifo.csv", "s.csv", "/dev/zero"] {
        let expected = format!("{name} E_NOT_REGULAR ");
        for args in [
            format!("gram {name} -k linear -o K.npy"),
            format!("gram good.csv --new {name} -k linear -o K.npy"),
            format!("gram nodes.csv --edges {name} -k node-diffusion(beta=1) -o K.npy"),
            format!("gram a.fasta --table {name} -k spectrum(k=2) -o K.npy"),
            format!("predict {name} good.csv -o p.csv"),
            format!("inspect {name}"),
            format!("convert {name} -o n.mercer"),
        ] {
            row.refused(&folder, &args, &expected);
        }
    }
    for name in ["fifo.csv", "s.csv", "/dev/zero"] {
        row.refused(&folder, &format!("report {name} -o r.html"), &format!("{name} E_NOT_REGULAR "));
    }
}

/// Special files are not replaced either: outputs that need a regular file are refused, others are written to them.
#[test]
fn outputs_that_are_no_files() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    folder.write("a.csv", "a,class\n1,p\n2,p\n3,q\n4,q\n5,p\n6,q\n");
    for name in ["f.npy", "f.csv", "f.journal"] {
        mknodat(CWD, folder.path(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }
    let search =
        "evaluate a.csv -k linear -l svc(C=[1,2]) --protocol 2-fold --inner 2-fold --journal f.journal -q";
    for (args, name) in [("gram a.csv -k linear -o f.npy -q", "f.npy"), (search, "f.journal")] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(1), "{args}: {}", run.err);
        assert!(run.err.contains(&format!("{name} E_IO_WRITE not a regular file")), "{}", run.err);
    }
    folder.ok("gram a.csv -k linear -o K.csv -q");
    let reader = std::thread::spawn({
        let path = folder.path("f.csv");
        move || std::fs::read(path).unwrap()
    });
    folder.ok("gram a.csv -k linear -o f.csv -q");
    assert!(reader.join().unwrap() == folder.read("K.csv"));
    for name in ["f.npy", "f.csv", "f.journal"] {
        assert!(folder.path(name).symlink_metadata().unwrap().file_type().is_fifo(), "{name}");
    }
    assert!(!folder.has("f.csv.partial") && !folder.has("f.npy.partial"));
}
