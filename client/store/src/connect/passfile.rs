//! Lookup of passwords in the password file, `~/.pgpass`.

use super::environment::Environment;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The fields by which a password is looked up.
pub(super) struct Login<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) dbname: &'a str,
    pub(super) user: &'a str,
}

/// The result of a lookup.
#[derive(Debug, PartialEq)]
pub(super) enum Lookup {
    Password(String),
    NotFound,
    /// The file is ignored, since other users can read it.
    Ignored(PathBuf),
}

/// Looks up a password in the named file, by default in the user's own.
pub(super) fn find(login: &Login, file: Option<&str>, environment: &dyn Environment) -> Lookup {
    environment.file(file, &[".pgpass"]).map_or(Lookup::NotFound, |path| read(login, &path))
}

fn read(login: &Login, path: &Path) -> Lookup {
    let Ok(metadata) = path.metadata() else { return Lookup::NotFound };
    if !metadata.is_file() {
        return Lookup::NotFound;
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        return Lookup::Ignored(path.to_owned());
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().find_map(|line| password(line, login)).map_or(Lookup::NotFound, Lookup::Password)
}

/// Returns the password of a line, `host:port:dbname:user:password`, if its fields match the login.
/// The field `*` matches everything; a backslash escapes the next character.
fn password(line: &str, login: &Login) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for expected in [login.host, &login.port.to_string(), login.dbname, login.user] {
        let (field, is_escaped, after) = split_field(rest)?;
        if field != expected && (field != "*" || is_escaped) {
            return None;
        }
        rest = after;
    }
    Some(unescape(rest))
}

/// Splits the first field from a line: its text, whether it contained a backslash, and the rest after
/// the colon.
fn split_field(line: &str) -> Option<(String, bool, &str)> {
    let mut escaped = false;
    let end = line.char_indices().find(|&(_, character)| {
        let ends = character == ':' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    });
    let (field, after) = (&line[..end?.0], &line[end?.0 + 1..]);
    Some((unescape(field), field.contains('\\'), after))
}

fn unescape(text: &str) -> String {
    let mut characters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let next = if character == '\\' { characters.next() } else { Some(character) };
        plain.extend(next);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;

    const LOGIN: Login = Login { host: "db.example", port: 5433, dbname: "books", user: "me:too" };

    #[test]
    fn the_first_matching_line_provides_the_password() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pass");
        let text = "# db.example:5433:books:me\\:too:none\n\
                    other:*:*:*:wrong\n*:*:\\*:*:wrong\n*:5433:books:me\\:too:a\\:b\\\\\n*:*:*:*:last\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(&LOGIN, &path), Lookup::Password("a:b\\".into()));
        let other = Login { port: 1, ..LOGIN };
        assert_eq!(read(&other, &path), Lookup::Password("last".into()));
        assert_eq!(read(&LOGIN, &folder.path().join("none")), Lookup::NotFound);

        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(read(&LOGIN, &path), Lookup::Ignored(path.clone()));
    }
}
