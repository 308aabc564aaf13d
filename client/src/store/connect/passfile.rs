//! The password file, `~/.pgpass`.

use super::Surroundings;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What a password is looked up by.
pub(super) struct Login<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) dbname: &'a str,
    pub(super) user: &'a str,
}

/// What a password file has for a login.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    Password(String),
    Nothing,
    /// Others can read the file, and so it is not read.
    Open(PathBuf),
}

/// Looks a password up in the file that is named, or in that of the user.
pub(super) fn find(login: &Login, file: Option<&str>, around: &dyn Surroundings) -> Found {
    let path = file.map(PathBuf::from).or_else(|| Some(around.home()?.join(".pgpass")));
    path.map_or(Found::Nothing, |path| read(login, &path))
}

fn read(login: &Login, path: &Path) -> Found {
    let Ok(facts) = path.metadata() else { return Found::Nothing };
    if !facts.is_file() {
        return Found::Nothing;
    }
    if facts.permissions().mode() & 0o077 != 0 {
        return Found::Open(path.to_owned());
    }
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().find_map(|line| password(line, login)).map_or(Found::Nothing, Found::Password)
}

/// Returns the password of a line, `host:port:dbname:user:password`, if the login is the line's.
/// A field that is `*` fits all; a backslash keeps the next character.
fn password(line: &str, login: &Login) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for wanted in [login.host, &login.port.to_string(), login.dbname, login.user] {
        let (field, escaped, after) = field(rest)?;
        if field != wanted && (field != "*" || escaped) {
            return None;
        }
        rest = after;
    }
    Some(unescaped(rest))
}

/// Takes a field from the beginning of a line: its text, whether a backslash stood in it, and what
/// comes behind its colon.
fn field(line: &str) -> Option<(String, bool, &str)> {
    let mut escaped = false;
    let end = line.char_indices().find(|&(_, character)| {
        let ends = character == ':' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    });
    let (field, after) = (&line[..end?.0], &line[end?.0 + 1..]);
    Some((unescaped(field), field.contains('\\'), after))
}

fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        let kept = if character == '\\' { characters.next() } else { Some(character) };
        plain.extend(kept);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;

    const LOGIN: Login = Login { host: "db.example", port: 5433, dbname: "books", user: "me:too" };

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pass");
        let text = "# db.example:5433:books:me\\:too:none\n\
                    other:*:*:*:wrong\n*:*:\\*:*:wrong\n*:5433:books:me\\:too:a\\:b\\\\\n*:*:*:*:last\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read(&LOGIN, &path), Found::Password("a:b\\".into()));
        let other = Login { port: 1, ..LOGIN };
        assert_eq!(read(&other, &path), Found::Password("last".into()));
        assert_eq!(read(&LOGIN, &folder.path().join("none")), Found::Nothing);

        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(read(&LOGIN, &path), Found::Open(path.clone()));
    }
}
