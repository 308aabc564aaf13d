//! Fences: the code of a page, with its language.

use super::tree::{self, Children, Handle, attribute, element, named, tag};
use crate::interrupt;
use html5ever::tendril::StrTendril;
use markup5ever_rcdom::NodeData;

/// Writes a `<pre>` as one fence, or as one fence for each language in which it shows its code.
pub(super) fn write(node: &Handle, is_omitted: &dyn Fn(&Handle) -> bool, out: &mut Children) {
    let children = node.children.borrow();
    let codes: Vec<_> = children.iter().filter(|child| tag(child) == "code").collect();
    if codes.len() > 1 && codes.iter().all(|code| language_of(code).is_some()) {
        for code in codes {
            write_fence(code, language_of(code).as_deref(), is_omitted, out);
        }
        return;
    }
    let language = language_of(node)
        .or_else(|| codes.first().and_then(|code| language_of(code)))
        .or_else(|| outer_language(node));
    write_fence(node, language.as_deref(), is_omitted, out);
}

fn write_fence(
    node: &Handle,
    language: Option<&str>,
    is_omitted: &dyn Fn(&Handle) -> bool,
    out: &mut Children,
) {
    let mut code = String::new();
    add_code(node, is_omitted, &mut code);
    if code.trim().is_empty() {
        return;
    }
    let language = language.iter().map(|language| named("class", language)).collect();
    out.element(element("pre", language, vec![tree::text(StrTendril::from(code))]));
}

/// Appends the code below a node, without line numbers, buttons and other boilerplate.
fn add_code(node: &Handle, is_omitted: &dyn Fn(&Handle) -> bool, code: &mut String) {
    interrupt::poll();
    match &node.data {
        NodeData::Text { contents } => code.push_str(&contents.borrow()),
        _ if tag(node) == "br" => code.push('\n'),
        _ => {
            for child in node.children.borrow().iter() {
                // Syntax highlighting takes thousands of spans. Of these only line numbers are
                // boilerplate.
                let omitted = match tag(child) {
                    "span" => is_line_number(child),
                    "" => false,
                    _ => is_omitted(child),
                };
                if !omitted {
                    add_code(child, is_omitted, code);
                }
            }
        }
    }
}

fn is_line_number(span: &Handle) -> bool {
    attribute(span, "class").is_some_and(|class| {
        matches!(&*class, "linenos" | "lineno" | "line-number" | "line-numbers" | "ln")
    })
}

/// Returns the language of a code element, in any of the notations in use.
fn language_of(node: &Handle) -> Option<String> {
    let given = ["lang", "data-lang", "data-language"];
    // `lang` also names natural languages, mostly with two letters.
    let given = given.iter().filter_map(|name| attribute(node, name));
    let mut given = given.filter(|name| tag(node) == "pre" || name.len() > 2);
    if let Some(name) = given.next() {
        return one_word(&name);
    }
    let classes = attribute(node, "class")?;
    let classes: Vec<&str> = classes.split_ascii_whitespace().collect();
    let before = ["language-", "lang-", "highlight-source-", "highlight-", "brush:"];
    let prefixed = classes.iter().find_map(|class| {
        before.iter().find_map(|prefix| class.strip_prefix(prefix)).and_then(one_word)
    });
    prefixed.or_else(|| {
        // `hljs rust`, `prettyprint js`, `sourceCode haskell`, `rust rust-example-rendered`.
        let marks = ["hljs", "prettyprint", "sourceCode", "src", "programlisting", "highlight"];
        let marked = marks.iter().any(|mark| classes.contains(mark));
        let rust = classes.contains(&"rust") && tag(node) == "pre";
        let other = classes.iter().find(|class| {
            !marks.contains(class) && !class.contains(['-', '_']) && !matches!(**class, "linenums")
        });
        other.filter(|_| marked || rust).and_then(|class| one_word(class))
    })
}

/// Returns the language that one of the three nearest ancestors names, as Sphinx does.
fn outer_language(node: &Handle) -> Option<String> {
    let mut node = node.clone();
    for _ in 0..3 {
        node = tree::parent(&node)?;
        if tag(&node) != "div" && tag(&node) != "figure" {
            return None;
        }
        let language = language_of(&node);
        if language.is_some() {
            return language;
        }
    }
    None
}

/// Returns a name if it is a language that fits on the line of a fence.
fn one_word(name: &str) -> Option<String> {
    let name = name.trim();
    let plain = |char: char| char.is_ascii_alphanumeric() || "+-#._".contains(char);
    let none = ["default", "none", "text", "plaintext", "notranslate", "nohighlight"];
    let known = !name.is_empty() && name.len() < 40 && name.chars().all(plain);
    (known && !none.contains(&name)).then(|| name.to_owned())
}
