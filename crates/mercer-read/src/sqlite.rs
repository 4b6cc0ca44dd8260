//! SQLite databases: a table or view, or the result of a query.
//!
//! The file is loaded into memory and opened there read-only: no lock is taken, and no journal or other file is written
//! next to it. One statement is run, which must be a `SELECT` (or `WITH … SELECT`); everything else that SQL can do is
//! denied when the statement is prepared. NULL is a missing value; values are typed as in other tables. A BLOB is
//! refused.

use std::ffi::OsString;
use std::path::PathBuf;

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, MAIN_DB};

use super::rows::{Places, Rows};
use super::text::shown;
use super::{Options, source::Source};
use crate::budget;
use crate::data::Dataset;
use crate::error::{Code, Error, Result, nearest};

/// The first bytes of a database.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The largest text of a cell or statement, in bytes.
const MOST_TEXT: i32 = 64 << 20;
/// Steps of SQLite between two checks of the budget: less than a millisecond.
const STEPS: i32 = 10_000;

pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    let connection = open(source)?;
    let (name, statement) = statement(source, &connection, options)?;
    let failed = |error: rusqlite::Error| fault(source, &error, options.query.is_some());
    let mut prepared = connection.prepare(&statement).map_err(failed)?;
    if !prepared.readonly() || prepared.column_count() == 0 || prepared.is_explain() != 0 {
        return Err(not_a_query(source, &statement));
    }
    let columns: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let mut rows = Rows::new(&name, Places::Cells).with_header();
    rows.begin(0);
    columns.iter().for_each(|c| rows.push(Some(c)));
    rows.end()?;
    let mut found = prepared.query([]).map_err(failed)?;
    let mut count = 0;
    loop {
        let row = match found.next() {
            Ok(Some(row)) => row,
            Ok(None) => break,
            Err(error) => {
                // If the budget is spent, SQLite was interrupted.
                budget::check()?;
                return Err(failed(error));
            }
        };
        count += 1;
        rows.begin(count);
        for (j, column) in columns.iter().enumerate() {
            match row.get_ref(j).map_err(failed)? {
                ValueRef::Null => rows.push(None),
                ValueRef::Integer(value) => rows.push(Some(&value.to_string())),
                ValueRef::Real(value) => rows.push_number(value),
                ValueRef::Text(text) => {
                    let text = std::str::from_utf8(text).map_err(|_| {
                        let reason = format!("row {count}: the text in column '{column}' is not UTF-8");
                        source.fault(Code::Encoding, reason)
                    })?;
                    rows.push(Some(text));
                }
                ValueRef::Blob(_) => {
                    let reason = format!("row {count}: column '{column}' holds bytes (a BLOB)");
                    return Err(source
                        .fault(Code::Column, reason)
                        .with_hint(format!("leave the column out: `query=SELECT …` without '{column}'")));
                }
            }
        }
        rows.end()?;
    }
    if count == 0 {
        return Err(Error::parse(crate::error::Place::file(&name), Code::Empty, "no rows"));
    }
    rows.read(options, Vec::new())
}

/// The database in memory, in which only queries can be prepared.
fn open(source: &Source) -> Result<Connection> {
    if !source.bytes.starts_with(MAGIC) {
        return Err(source.fault(Code::Format, "not an SQLite database"));
    }
    let has = |end: &str| {
        let mut name = OsString::from(source.name);
        name.push(end);
        std::fs::metadata(PathBuf::from(name)).is_ok_and(|m| m.len() > 0)
    };
    if has("-wal") || has("-journal") {
        return Err(source
            .fault(Code::Changed, "the database has changes in a journal next to it, which are not read")
            .with_hint(
                "close the program that writes it, or run sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'",
            ));
    }
    budget::ask("an SQLite database in memory", 2 * source.bytes.len() as u64)?;
    let mut bytes = source.bytes.to_vec();
    // A database with a write-ahead log cannot be opened in memory; without the log the other kind is the same.
    if let Some([write, read]) = bytes.get_mut(18..20).and_then(|b| <&mut [u8; 2]>::try_from(b).ok()) {
        (*write, *read) = (1, 1);
    }
    let opened = || -> rusqlite::Result<Connection> {
        let mut connection = Connection::open_in_memory()?;
        connection.deserialize_read_exact(MAIN_DB, bytes.as_slice(), bytes.len(), true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MOST_TEXT)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.authorizer(Some(allowed))?;
        connection.progress_handler(STEPS, Some(budget::is_spent))?;
        Ok(connection)
    };
    opened().map_err(|error| fault(source, &error, false))
}

/// Reading, and computing on what was read.
fn allowed(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// The name of what is read and the statement that reads it.
fn statement(source: &Source, connection: &Connection, options: &Options) -> Result<(PathBuf, String)> {
    if let Some(query) = &options.query {
        if options.sheet.is_some() {
            return Err(Error::usage("a query and the name of a table are given; one is enough"));
        }
        if !is_query(query) {
            return Err(not_a_query(source, query));
        }
        return Ok((source.name.to_owned(), query.clone()));
    }
    let names = tables(source, connection)?;
    let listed = || match names.is_empty() {
        true => "the database has no tables".to_owned(),
        false => format!("the tables are {}", names.join(", ")),
    };
    let chosen = match (&options.sheet, names.as_slice()) {
        (Some(wanted), _) => match names.iter().find(|n| n.eq_ignore_ascii_case(wanted)) {
            Some(name) => name,
            None => {
                let near = nearest(wanted, names.iter().map(String::as_str));
                let near =
                    if near.is_empty() { String::new() } else { format!("; nearest: {}", near.join(", ")) };
                let reason = format!("no table {}{near}", shown(wanted));
                return Err(source.fault(Code::Sheet, reason).with_hint(listed()));
            }
        },
        (None, [only]) => only,
        (None, []) => return Err(source.fault(Code::Empty, "the database has no tables")),
        (None, _) => {
            let name = source.name.display();
            return Err(source
                .fault(Code::Sheet, format!("the database has {} tables", names.len()))
                .with_hint(format!("{}; choose one with {name}::TABLE or `query=SELECT …`", listed())));
        }
    };
    let name = PathBuf::from(format!("{}::{chosen}", source.name.display()));
    Ok((name, format!("SELECT * FROM \"{}\"", chosen.replace('"', "\"\""))))
}

/// The names of tables and views, without those of SQLite itself.
fn tables(source: &Source, connection: &Connection) -> Result<Vec<String>> {
    let list = || -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' \
                   ESCAPE '\\' ORDER BY rowid";
        let mut prepared = connection.prepare(sql)?;
        let names = prepared.query_map([], |row| row.get(0))?;
        names.collect()
    };
    list().map_err(|error| fault(source, &error, false))
}

/// Whether a statement begins like a query, after comments.
fn is_query(sql: &str) -> bool {
    let mut rest = sql.trim_start();
    loop {
        let behind = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, behind)| behind)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, behind)| behind)
        } else {
            break;
        };
        rest = behind.trim_start();
    }
    let word: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
    ["select", "with"].iter().any(|w| word.eq_ignore_ascii_case(w))
}

fn not_a_query(source: &Source, sql: &str) -> Error {
    let reason = format!("{} is not a query", shown(sql.trim()));
    source.fault(Code::Query, reason).with_hint("give one SELECT statement; the database is only read")
}

fn fault(source: &Source, error: &rusqlite::Error, query: bool) -> Error {
    let message = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::CannotOpen) => {
            source.fault(Code::Database, format!("the database is damaged: {message}"))
        }
        Some(ErrorCode::AuthorizationForStatementDenied) => source
            .fault(Code::Query, format!("the statement does more than read: {message}"))
            .with_hint("give one SELECT statement; the database is only read"),
        _ if matches!(error, rusqlite::Error::MultipleStatement) => {
            source.fault(Code::Query, "several statements").with_hint("give one SELECT statement")
        }
        _ if query => source.fault(Code::Query, format!("the query failed: {message}")),
        _ => source.fault(Code::Database, format!("the database cannot be read: {message}")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::data::Values;
    use crate::{Options, read_bytes};

    /// A database made by these statements.
    fn database(sql: &str) -> Vec<u8> {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(sql).unwrap();
        connection.serialize(MAIN_DB).unwrap().to_vec()
    }

    const SQL: &str = "CREATE TABLE people(id INTEGER PRIMARY KEY, age REAL, town TEXT, class TEXT);
        INSERT INTO people VALUES (1, 30.5, 'Ulm', 'a'), (2, NULL, 'Bonn', 'b'), (3, 41, 'Ulm', 'a');";

    fn read_with(bytes: &[u8], sheet: Option<&str>, query: Option<&str>) -> Result<Dataset> {
        let (sheet, query) = (sheet.map(str::to_owned), query.map(str::to_owned));
        read_bytes(Path::new("a.db"), bytes, &Options { sheet, query, ..Options::default() })
    }

    #[test]
    fn a_table_is_read_as_csv_would_be() {
        let bytes = database(SQL);
        let text = b"id,age,town,class\n1,30.5,Ulm,a\n2,,Bonn,b\n3,41,Ulm,a\n";
        let csv = read_bytes(Path::new("a.csv"), text, &Options::default()).unwrap();
        for sheet in [None, Some("people"), Some("PEOPLE")] {
            let data = read_with(&bytes, sheet, None).unwrap();
            assert_eq!(format!("{:?}", data.columns()), format!("{:?}", csv.columns()));
            assert_eq!(data.target(), csv.target());
        }
        let query = "SELECT age * 2 AS twice, class FROM people WHERE age IS NOT NULL ORDER BY id DESC";
        let data = read_with(&bytes, None, Some(query)).unwrap();
        let Values::Numbers(x) = &data.column("twice").unwrap().values else { panic!() };
        assert_eq!(x.values(), [82.0, 61.0]);
        let with =
            "-- a comment\n/* another */ WITH t AS (SELECT age FROM people) SELECT count(*) AS n FROM t;";
        assert_eq!(read_with(&bytes, None, Some(with)).unwrap().len(), 1);
    }

    #[test]
    fn only_queries_are_run() {
        let bytes = database(SQL);
        for sql in [
            "DELETE FROM people",
            "PRAGMA user_version = 5",
            "PRAGMA table_info(people)",
            "ATTACH '/tmp/x.db' AS x",
            "CREATE TABLE t(a)",
            "SELECT 1; DELETE FROM people",
            "EXPLAIN SELECT 1",
            "VACUUM INTO '/tmp/x.db'",
            "WITH t AS (SELECT 1) DELETE FROM people",
            "SELECT load_extension('/tmp/x.so')",
            "SELECT nothing FROM people",
            "",
            "-- only a comment",
        ] {
            let error = read_with(&bytes, None, Some(sql)).unwrap_err();
            assert_eq!(error.code(), Code::Query, "{sql}: {error}");
        }
        assert_eq!(read_with(&bytes, Some("people"), Some("SELECT 1")).unwrap_err().code(), Code::Usage);
    }

    #[test]
    fn tables_are_chosen_by_name() {
        let two = database(&format!("{SQL} CREATE TABLE other(x); INSERT INTO other VALUES (1);"));
        let error = read_with(&two, None, None).unwrap_err();
        assert_eq!(error.code(), Code::Sheet);
        assert!(error.hint().unwrap().contains("people, other"));
        let error = read_with(&two, Some("poeple"), None).unwrap_err();
        assert!(error.to_string().contains("people") && error.hint().unwrap().contains("people, other"));
        assert_eq!(read_with(&two, Some("other"), None).unwrap().len(), 1);
        assert_eq!(read_with(&database("CREATE TABLE t(a);"), None, None).unwrap_err().code(), Code::Empty);
        assert_eq!(read_with(&database("VACUUM;"), None, None).unwrap_err().code(), Code::Empty);
    }

    #[test]
    fn errors_name_the_row() {
        let bytes = database("CREATE TABLE t(a, class); INSERT INTO t VALUES (1, 'x'), (2, NULL);");
        let data = read_with(&bytes, None, None).unwrap();
        assert_eq!((data.len(), data.unlabelled().map(Dataset::len)), (1, Some(1)));
        let blob = database("CREATE TABLE t(a); INSERT INTO t VALUES (x'00ff');");
        assert_eq!(read_with(&blob, None, None).unwrap_err().code(), Code::Column);
    }

    #[test]
    fn damaged_databases() {
        let bytes = database(SQL);
        let mut bad = bytes.clone();
        bad[100..].fill(0xA5);
        for bytes in [&bytes[..50], &bytes[..4096], &bad] {
            let error = read_with(bytes, None, None).unwrap_err();
            assert!(matches!(error.code(), Code::Database | Code::Empty), "{error}");
        }
    }

    #[test]
    fn a_query_without_end_stops_with_the_budget() {
        let query = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t";
        let budget = crate::budget::Budget::default().with_time(std::time::Duration::from_millis(50));
        let error = budget.enter(|| read_with(&database(SQL), None, Some(query))).unwrap_err();
        assert_eq!(error.code(), Code::Time);
    }
}
