/*!
The modules and files that an import names, as links.

A module becomes a path, because the files of most languages have the names of their modules: `a.b` is `a/b`. Relative
modules begin with `./` or `../`. Packages that only a package manager can find, such as those of JavaScript without a path,
are left out.
*/

use super::language::{children, slice};
use crate::links::{LinkKind, Links};
use tree_sitter::Node;

/// The names of the standard library of Rust.
const RUST_LIBRARY: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// The maximum number of bytes of the path before a list.
const MAX_PATH: usize = 500;

/// The maximum number of modules of an import.
const MAX_MODULES: usize = 200;

/// Adds the links of an import of a language.
pub(super) fn add(links: &mut Links, media_type: &str, node: Node<'_>, text: &str) {
    let written = slice(node, text);
    let kind = match media_type {
        "text/x-c" | "text/x-c++" | "text/x-shellscript" | "text/css" => LinkKind::Include,
        _ => LinkKind::Import,
    };
    let mut found = Vec::new();
    match media_type {
        "text/x-python" => python(node, text, &mut found),
        "text/javascript" | "text/x-jsx" | "text/x-typescript" | "text/x-tsx" => {
            javascript(node, text, &mut found);
        }
        "text/x-rust" => rust(node, text, &mut found),
        "text/x-go" if node.kind() == "package_clause" => {
            if !written.ends_with(" main") {
                links.add_parts(node.byte_range(), LinkKind::Label, "./", "", "");
            }
            return;
        }
        "text/x-go" => go(written, &mut found),
        "text/x-java" | "text/x-kotlin" | "text/x-scala" => dotted(written, &mut found),
        "text/x-php" => php(written, &mut found),
        "text/x-elixir" => elixir(written, &mut found),
        _ => quoted(media_type, written, &mut found),
    }
    for (target, section) in found.into_iter().take(MAX_MODULES) {
        let name = if section.is_empty() { &target } else { &section };
        links.add_parts(node.byte_range(), kind, &target, &section, name);
    }
}

/// The modules of an import, each with the name that is imported from it.
type Modules = Vec<(String, String)>;

fn python(node: Node<'_>, text: &str, found: &mut Modules) {
    let module = node.child_by_field_name("module_name");
    for child in children(node).into_iter().filter(|child| Some(*child) != module) {
        let name = match child.kind() {
            "aliased_import" => child.child_by_field_name("name").map(|name| slice(name, text)),
            "dotted_name" => Some(slice(child, text)),
            "wildcard_import" => Some(""),
            _ => None,
        };
        let Some(name) = name else { continue };
        let Some(module) = module.map(|module| slice(module, text)) else {
            found.push((name.replace('.', "/"), String::new()));
            continue;
        };
        let inside = module.trim_start_matches('.');
        let above = module.len() - inside.len();
        let folder = match above {
            0 => String::new(),
            1 => "./".to_owned(),
            above => "../".repeat(above - 1),
        };
        // `from . import name` mostly names a module.
        found.push(if inside.is_empty() {
            (folder + name, String::new())
        } else {
            (folder + &inside.replace('.', "/"), name.to_owned())
        });
    }
}

fn javascript(node: Node<'_>, text: &str, found: &mut Modules) {
    let written = match node.child_by_field_name("source") {
        Some(source) => slice(source, text),
        None if slice(node, text).contains("require(") => slice(node, text),
        None => return,
    };
    let Some(written) = string(written) else { return };
    // `@/` and `~/` mean the root of the sources.
    let path = written.strip_prefix("@/").or(written.strip_prefix("~/")).unwrap_or(written);
    if path == written && !path.starts_with('.') && !path.starts_with("src/") {
        return;
    }
    let mut names = Vec::new();
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        match node.kind() {
            "import_specifier" | "export_specifier" => {
                names.extend(node.child_by_field_name("name").map(|name| slice(name, text)));
            }
            "import_statement" | "import_clause" | "named_imports" | "export_statement"
            | "export_clause" => rest.extend(children(node).into_iter().rev()),
            _ => {}
        }
    }
    let target = without_script_extension(path).to_owned();
    if names.is_empty() {
        found.push((target, String::new()));
    } else {
        found.extend(names.into_iter().map(|name| (target.clone(), name.to_owned())));
    }
}

/// Returns a path without `.js`: TypeScript imports the file `a.ts` as `a.js`.
fn without_script_extension(path: &str) -> &str {
    [".js", ".mjs", ".jsx"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}

fn rust(node: Node<'_>, text: &str, found: &mut Modules) {
    if node.kind() == "mod_item" {
        let name = node.child_by_field_name("name").map(|name| slice(name, text).to_owned());
        found.extend(name.map(|name| (name, String::new())));
        return;
    }
    let Some(argument) = node.child_by_field_name("argument") else { return };
    // Each node with the path before it.
    let mut rest = vec![(argument, String::new())];
    while let Some((node, before)) = rest.pop() {
        let field = |name| node.child_by_field_name(name);
        match node.kind() {
            "scoped_use_list" => {
                let path = field("path").map(|path| slice(path, text)).unwrap_or_default();
                if before.len() + path.len() > MAX_PATH {
                    continue;
                }
                rest.extend(field("list").map(|list| (list, format!("{before}{path}::"))));
            }
            "use_list" => {
                let items = children(node).into_iter().rev();
                rest.extend(items.map(|item| (item, before.clone())));
            }
            "use_as_clause" => rest.extend(field("path").map(|path| (path, before))),
            "use_wildcard" | "scoped_identifier" | "identifier" | "self" | "crate" => {
                let path = before + slice(node, text);
                let path = path.trim_end_matches("::*").trim_end_matches("::self");
                let mut parts: Vec<_> = path.split("::").map(str::trim).collect();
                if parts.first().is_some_and(|first| RUST_LIBRARY.contains(first)) {
                    continue;
                }
                parts.retain(|part| !matches!(*part, "" | "crate" | "self" | "super"));
                let Some(name) = parts.pop() else { continue };
                if parts.is_empty() && name.starts_with(char::is_lowercase) {
                    found.push((name.to_owned(), String::new()));
                } else if !parts.is_empty() {
                    found.push((parts.join("/"), name.to_owned()));
                }
            }
            _ => {}
        }
    }
}

/// A package of Go is a folder. Its path begins with the host, the owner and the repository, and may have the version of a module
/// behind them, which has no folder.
fn go(written: &str, found: &mut Modules) {
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|n| n.parse::<u32>().is_ok());
    for path in written.split('"').skip(1).step_by(2) {
        let mut parts: Vec<_> = path.split('/').collect();
        if parts.get(3).is_some_and(|part| is_version(part)) {
            parts.remove(3);
        }
        if parts.len() > 3 && parts[0].contains('.') && !parts.contains(&"") {
            found.push((format!("{}/", parts.join("/")), String::new()));
        }
    }
}

/// `import a.b.Class.member;`
fn dotted(written: &str, found: &mut Modules) {
    let path = written.split_whitespace().filter(|word| !matches!(*word, "import" | "static"));
    let path = path.take_while(|word| *word != "as").collect::<String>();
    let path = path.split(['{', ';', '*']).next().unwrap_or_default().trim_end_matches('.');
    let parts: Vec<_> = path.split('.').collect();
    let class = parts.iter().position(|part| part.starts_with(char::is_uppercase));
    if let Some(class) = class
        && class > 0
    {
        found.push((parts[..=class].join("/"), parts[class + 1..].join(".")));
    }
}

fn php(written: &str, found: &mut Modules) {
    if !written.starts_with("use") {
        quoted("text/x-php", written, found);
        return;
    }
    for name in written.trim_start_matches("use").trim_end_matches(';').split(',') {
        let name = name.split_whitespace().next().unwrap_or_default().trim_start_matches('\\');
        if name.contains('\\') && !name.contains('{') {
            found.push((name.replace('\\', "/"), String::new()));
        }
    }
}

/// `alias MyApp.Accounts.User` is in `my_app/accounts/user.ex`.
fn elixir(written: &str, found: &mut Modules) {
    let name = written.split([' ', '(']).nth(1).unwrap_or_default().trim_end_matches([',', ')']);
    if name.contains('{') || !name.starts_with(char::is_uppercase) {
        return;
    }
    let mut path = String::new();
    for char in name.chars() {
        if char == '.' {
            path.push('/');
        } else {
            if char.is_uppercase() && !path.is_empty() && !path.ends_with('/') {
                path.push('_');
            }
            path.extend(char.to_lowercase());
        }
    }
    found.push((path, String::new()));
}

/// The path in the quotes of an import or an include of another language.
fn quoted(media_type: &str, written: &str, found: &mut Modules) {
    let angled = || Some(written.split_once('<')?.1.split_once('>')?.0);
    let Some(path) = string(written).or_else(angled) else { return };
    let target = match media_type {
        // The standard library has no folders.
        "text/x-c" | "text/x-c++" if written.contains('<') && !path.contains('/') => return,
        "text/x-ruby" if written.contains("require_relative") => format!("./{path}"),
        "text/x-lua" => path.replace('.', "/"),
        "text/x-dart" if path.starts_with("dart:") => return,
        "text/x-dart" => match path.strip_prefix("package:") {
            Some(package) => package.split_once('/').map_or(package, |(_, path)| path).to_owned(),
            None => format!("./{path}"),
        },
        "text/css" if !path.contains(':') => format!("./{path}"),
        // The folder of the script or of the file.
        _ if path.starts_with('$') => {
            path.split_once('/').map(|(_, path)| path.to_owned()).unwrap_or_default()
        }
        _ => path.trim_start_matches('/').to_owned(),
    };
    found.push((target, String::new()));
}

/// Returns the first text in quotes.
fn string(written: &str) -> Option<&str> {
    let start = written.find(['"', '\''])?;
    let quote = written[start..].chars().next()?;
    written[start + 1..].split_once(quote).map(|(inside, _)| inside)
}
