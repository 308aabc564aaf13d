//! Parsing of connection strings, in both formats of libpq.

use super::environment::OptionError;
use percent_encoding::percent_decode_str;

/// Options with their values, in the order of the string; a later value replaces an earlier one.
pub(super) type OptionPairs = Vec<(String, String)>;

/// Parses a URL, key and value pairs, or the bare name of a database.
pub(super) fn parse(text: &str) -> Result<OptionPairs, OptionError> {
    let text = text.trim();
    for scheme in ["postgresql://", "postgres://"] {
        if let Some(rest) = text.strip_prefix(scheme) {
            return parse_url(rest);
        }
    }
    if text.contains('=') {
        return parse_pairs(text);
    }
    Ok(if text.is_empty() { Vec::new() } else { vec![("dbname".into(), text.into())] })
}

/// Parses `user:password@host:port,host:port/dbname?key=value`, in which each part is optional.
fn parse_url(rest: &str) -> Result<OptionPairs, OptionError> {
    let mut pairs = OptionPairs::new();
    let mut add = |key: &str, value: &str| -> Result<(), OptionError> {
        if !value.is_empty() {
            pairs.push((key.into(), decode(value)?));
        }
        Ok(())
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, dbname) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, hosts) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    add("user", user)?;
    add("password", password)?;

    let (mut names, mut ports) = (Vec::new(), Vec::new());
    for host in hosts.split(',') {
        let (name, port) = if let Some(address) = host.strip_prefix('[') {
            let (address, port) =
                address.split_once(']').ok_or("an IPv6 address lacks its closing bracket")?;
            (address, port.strip_prefix(':').unwrap_or(port))
        } else {
            host.split_once(':').unwrap_or((host, ""))
        };
        names.push(name);
        ports.push(port);
    }
    // Empty values keep their positions: the second port belongs to the second host.
    if names.iter().any(|name| !name.is_empty()) {
        add("host", &names.join(","))?;
    }
    if ports.iter().any(|port| !port.is_empty()) {
        add("port", &ports.join(","))?;
    }
    add("dbname", dbname)?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or("an option has no value")?;
        match (key, value) {
            // JDBC's option, which libpq accepts.
            ("ssl", "true") => pairs.push(("sslmode".into(), "require".into())),
            _ => pairs.push((decode(key)?, decode(value)?)),
        }
    }
    Ok(pairs)
}

fn decode(text: &str) -> Result<String, OptionError> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| "the URL is not valid UTF-8")?;
    if text.contains('\0') {
        return Err("the URL contains a NUL character".into());
    }
    Ok(text.into_owned())
}

/// Parses `key = value` and `key = 'a value'`; a backslash escapes the next character.
fn parse_pairs(text: &str) -> Result<OptionPairs, OptionError> {
    let mut pairs = OptionPairs::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or("an option has no value")?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err("an option has no name or no value".into());
        }
        let (value, after) = split_value(after.trim_start())?;
        pairs.push((key.into(), value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

/// Splits the value from the beginning of a text, and returns it with the rest.
fn split_value(text: &str) -> Result<(String, &str), OptionError> {
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
    if quoted { Err("a quoted value lacks its closing quote".into()) } else { Ok((value, "")) }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[track_caller]
    fn assert_parsed(text: &str, expected: &[(&str, &str)]) {
        let pairs = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (&**key, &**value)).collect();
        assert_eq!(pairs, expected, "{text}");
    }

    #[test]
    fn urls_are_parsed_as_by_libpq() {
        assert_parsed("postgresql://", &[]);
        assert_parsed(
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
        assert_parsed(
            "postgresql:///books?host=/tmp/a",
            &[("dbname", "books"), ("host", "/tmp/a")],
        );
        assert_parsed("postgresql://%2Ftmp%2Fa/books", &[("host", "/tmp/a"), ("dbname", "books")]);
        assert_parsed("postgresql://[::1]:6000,b", &[("host", "::1,b"), ("port", "6000,")]);
        assert_parsed("postgresql://a?ssl=true", &[("host", "a"), ("sslmode", "require")]);
    }

    #[test]
    fn pairs_are_parsed_as_by_libpq() {
        assert_parsed("books", &[("dbname", "books")]);
        assert_parsed("host=a port = 5433", &[("host", "a"), ("port", "5433")]);
        assert_parsed(
            r"password='it\'s \\ so' user=me\ too",
            &[("password", r"it's \ so"), ("user", "me too")],
        );
        assert_parsed("user=''", &[("user", "")]);
    }

    #[test]
    fn errors_do_not_contain_values() {
        for text in
            ["postgresql://a:hunter2@[::/b", "password='hunter2", "hunter2 x=1", "postgresql://a?b"]
        {
            let error = parse(text).unwrap_err();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
