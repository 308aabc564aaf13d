//! Connection strings, in both forms that libpq takes.

use super::Problem;
use percent_encoding::percent_decode_str;

/// Names of options with their values, in the order in which they are given; a later one replaces
/// an earlier one of its name.
pub(super) type Pairs = Vec<(String, String)>;

/// Reads a URL, or key and value pairs, or the bare name of a database.
pub(super) fn parse(text: &str) -> Result<Pairs, Problem> {
    let text = text.trim();
    for scheme in ["postgresql://", "postgres://"] {
        if let Some(rest) = text.strip_prefix(scheme) {
            return url(rest);
        }
    }
    if text.contains('=') {
        return pairs(text);
    }
    Ok(if text.is_empty() { Vec::new() } else { vec![("dbname".into(), text.into())] })
}

/// `user:password@host:port,host:port/dbname?key=value`, all of it optional.
fn url(rest: &str) -> Result<Pairs, Problem> {
    let mut pairs = Pairs::new();
    let mut take = |key: &str, value: &str| -> Result<(), Problem> {
        if !value.is_empty() {
            pairs.push((key.into(), decoded(value)?));
        }
        Ok(())
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, dbname) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    take("user", user)?;
    take("password", password)?;

    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        let (name, port) = if let Some(address) = host.strip_prefix('[') {
            let (address, port) =
                address.split_once(']').ok_or("an address in brackets has no end")?;
            (address, port.strip_prefix(':').unwrap_or(port))
        } else {
            host.split_once(':').unwrap_or((host, ""))
        };
        names.push(name);
        ports.push(port);
    }
    // Places must stay what they are: the second port is that of the second host.
    if names.iter().any(|name| !name.is_empty()) {
        take("host", &names.join(","))?;
    }
    if ports.iter().any(|port| !port.is_empty()) {
        take("port", &ports.join(","))?;
    }
    take("dbname", dbname)?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or("an option has no value")?;
        match (key, value) {
            // What JDBC writes, and libpq takes.
            ("ssl", "true") => pairs.push(("sslmode".into(), "require".into())),
            _ => pairs.push((decoded(key)?, decoded(value)?)),
        }
    }
    Ok(pairs)
}

fn decoded(text: &str) -> Result<String, Problem> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| "it is no UTF-8")?;
    if text.contains('\0') {
        return Err("it holds a NUL character".into());
    }
    Ok(text.into_owned())
}

/// `key = value` and `key = 'a value'`, in which a backslash keeps the next character.
fn pairs(text: &str) -> Result<Pairs, Problem> {
    let mut pairs = Pairs::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or("an option has no value")?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err("an option has no name, or no value".into());
        }
        let (value, after) = value(after.trim_start())?;
        pairs.push((key.into(), value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

/// Takes a value from the beginning of a text, and returns it with what follows.
fn value(text: &str) -> Result<(String, &str), Problem> {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut characters = text.char_indices().skip(usize::from(quoted));
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, character)| character)),
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            character if character.is_whitespace() && !quoted => return Ok((value, &text[at..])),
            character => value.push(character),
        }
    }
    if quoted { Err("a quote has no end".into()) } else { Ok((value, "")) }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn same(text: &str, expected: &[(&str, &str)]) {
        let pairs = parse(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(pairs, expected, "{text}");
    }

    #[test]
    fn urls_are_read_as_libpq_reads_them() {
        same("postgresql://", &[]);
        same(
            "postgres://me:p%40ss@db.example:5433/books?sslmode=require&connect_timeout=3",
            &[
                ("user", "me"),
                ("password", "p@ss"),
                ("host", "db.example"),
                ("port", "5433"),
                ("dbname", "books"),
                ("sslmode", "require"),
                ("connect_timeout", "3"),
            ],
        );
        same("postgresql:///books?host=/tmp/a", &[("dbname", "books"), ("host", "/tmp/a")]);
        same("postgresql://%2Ftmp%2Fa/books", &[("host", "/tmp/a"), ("dbname", "books")]);
        same("postgresql://[::1]:6000,b", &[("host", "::1,b"), ("port", "6000,")]);
        same("postgresql://a?ssl=true", &[("host", "a"), ("sslmode", "require")]);
    }

    #[test]
    fn pairs_are_read_as_libpq_reads_them() {
        same("books", &[("dbname", "books")]);
        same("host=a port = 5433", &[("host", "a"), ("port", "5433")]);
        same(
            r"password='it\'s \\ so' user=me\ too",
            &[("password", r"it's \ so"), ("user", "me too")],
        );
        same("user=''", &[("user", "")]);
    }

    #[test]
    fn what_is_wrong_is_said_without_values() {
        for text in
            ["postgresql://a:hunter2@[::/b", "password='hunter2", "hunter2 x=1", "postgresql://a?b"]
        {
            let problem = parse(text).unwrap_err();
            assert!(!problem.contains("hunter2"), "{problem}");
        }
    }
}
