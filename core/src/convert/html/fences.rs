//! Fences: the code of a page, with the language that it names.

use super::{
    rewrite::Writer,
    tree::{self, Children, Handle, attribute, element, named, tag},
};
use crate::interrupt;
use html5ever::tendril::StrTendril;
use markup5ever_rcdom::NodeData;

impl Writer<'_> {
    /// Writes a `<pre>` as a fence, or as one for each of the languages it shows its code in.
    pub(super) fn fences(&self, node: &Handle, out: &mut Children) {
        let children = node.children.borrow();
        let codes: Vec<_> = children.iter().filter(|child| tag(child) == "code").collect();
        if codes.len() > 1 && codes.iter().all(|code| language_of(code).is_some()) {
            for code in codes {
                self.fence(code, language_of(code).as_deref(), out);
            }
            return;
        }
        let language = language_of(node)
            .or_else(|| codes.first().and_then(|code| language_of(code)))
            .or_else(|| outer_language(node));
        self.fence(node, language.as_deref(), out);
    }

    fn fence(&self, node: &Handle, language: Option<&str>, out: &mut Children) {
        let mut code = String::new();
        self.add_code(node, &mut code);
        if code.trim().is_empty() {
            return;
        }
        let language = language.iter().map(|language| named("class", language)).collect();
        out.element(element("pre", language, vec![tree::text(StrTendril::from(code))]));
    }

    /// Adds the code below a node, without line numbers, buttons and what else is chrome.
    fn add_code(&self, node: &Handle, code: &mut String) {
        interrupt::poll();
        match &node.data {
            NodeData::Text { contents } => code.push_str(&contents.borrow()),
            _ if tag(node) == "br" => code.push('\n'),
            _ => {
                for child in node.children.borrow().iter() {
                    // Colours are thousands of spans, and none of them is chrome but one kind.
                    let left_out = match tag(child) {
                        "span" => is_line_number(child),
                        "" => false,
                        _ => self.is_left_out(child),
                    };
                    if !left_out {
                        self.add_code(child, code);
                    }
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

/// Returns the language that an element of code names, in one of the notations in use.
fn language_of(node: &Handle) -> Option<String> {
    let given = ["lang", "data-lang", "data-language"];
    // The language that people speak is named alike, in two letters mostly.
    let given = given.iter().filter_map(|name| attribute(node, name));
    let mut given = given.filter(|name| tag(node) == "pre" || name.len() > 2);
    if let Some(name) = given.next() {
        return one_word(&name);
    }
    let classes = attribute(node, "class")?;
    let classes: Vec<&str> = classes.split_ascii_whitespace().collect();
    let before = ["language-", "lang-", "highlight-source-", "highlight-", "brush:"];
    let told = classes.iter().find_map(|class| {
        before.iter().find_map(|prefix| class.strip_prefix(prefix)).and_then(one_word)
    });
    told.or_else(|| {
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

/// Returns the language that one of the next three elements around names, as for Sphinx.
fn outer_language(node: &Handle) -> Option<String> {
    let mut node = node.clone();
    for _ in 0..3 {
        let weak = node.parent.take()?;
        let parent = weak.upgrade();
        node.parent.set(Some(weak));
        node = parent?;
        if tag(&node) != "div" && tag(&node) != "figure" {
            return None;
        }
        let found = language_of(&node);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Returns a language if it is one, as the line of a fence takes it.
fn one_word(name: &str) -> Option<String> {
    let name = name.trim();
    let plain = |char: char| char.is_ascii_alphanumeric() || "+-#._".contains(char);
    let none = ["default", "none", "text", "plaintext", "notranslate", "nohighlight"];
    let known = !name.is_empty() && name.len() < 40 && name.chars().all(plain);
    (known && !none.contains(&name)).then(|| name.to_owned())
}
