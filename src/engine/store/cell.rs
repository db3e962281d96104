//! Cells of a row, whatever their type.
//!
//! A column's type is a hint to SQLite: any cell may hold anything. A cell of
//! another type than its column is empty, zero or raw bytes, never a failure;
//! what reads the row decides what that means.

use rusqlite::{Row, types::ValueRef};

/// The bytes of a text or a blob, valid UTF-8 or not; empty for anything else.
pub(super) fn bytes<'a>(row: &'a Row<'_>, column: usize) -> &'a [u8] {
    match row.get_ref_unwrap(column) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => &[],
    }
}

/// The text of a text or a blob, with U+FFFD for what is no UTF-8.
pub(super) fn text(row: &Row<'_>, column: usize) -> String {
    String::from_utf8_lossy(bytes(row, column)).into_owned()
}

/// Whether the cell is NULL.
pub(super) fn is_null(row: &Row<'_>, column: usize) -> bool {
    matches!(row.get_ref_unwrap(column), ValueRef::Null)
}

/// A whole number; 0 for anything else.
pub(super) fn integer(row: &Row<'_>, column: usize) -> i64 {
    match row.get_ref_unwrap(column) {
        ValueRef::Integer(value) => value,
        ValueRef::Real(value) => value as i64,
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => 0,
    }
}

/// A number as JavaScript holds it; 0 for anything else.
pub(super) fn number(row: &Row<'_>, column: usize) -> f64 {
    match row.get_ref_unwrap(column) {
        ValueRef::Integer(value) => value as f64,
        ValueRef::Real(value) => value,
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_cell_of_another_type_is_no_failure() {
        let connection = Connection::open_in_memory().unwrap();
        let read = |sql: &str| {
            let row = |row: &Row<'_>| {
                Ok((
                    bytes(row, 0).to_vec(),
                    text(row, 0),
                    integer(row, 0),
                    number(row, 0),
                    is_null(row, 0),
                ))
            };
            connection.query_row(sql, [], row).unwrap()
        };
        let nothing = || (Vec::new(), String::new(), 0, 0.0, false);
        assert_eq!(read("SELECT NULL"), (vec![], String::new(), 0, 0.0, true));
        assert_eq!(read("SELECT 7"), (vec![], String::new(), 7, 7.0, false));
        assert_eq!(read("SELECT 2.5"), (vec![], String::new(), 2, 2.5, false));
        assert_eq!(read("SELECT ''"), nothing());
        assert_eq!(read("SELECT 'a'"), (b"a".to_vec(), "a".into(), 0, 0.0, false));
        let broken = (b"a\xff".to_vec(), "a\u{fffd}".into(), 0, 0.0, false);
        assert_eq!(read("SELECT x'61ff'"), broken);
        assert_eq!(read("SELECT CAST(x'61ff' AS TEXT)"), broken);
    }
}
