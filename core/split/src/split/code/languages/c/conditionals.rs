/*!
Conditionals of the preprocessor that cut statements in two.

The grammar reads all branches. If brackets open in a branch and close after it, as in the two signatures
of one function, only the first branch can be read.

```c
#ifdef WIDE
int add(long a) {
#else
int add(int a) {
#endif
```
*/

use super::tokens::{Kind, Token};
use std::ops::Range;

/// A conditional that is open.
struct Conditional {
    /// The indexes of its directives.
    directives: Vec<usize>,
    /// The number of brackets that are open in its present branch.
    open: isize,
    /// Whether a branch has unequal numbers of brackets.
    is_broken: bool,
}

/// Returns the places to leave out: the directives of broken conditionals, and all their branches but one. If the
/// parser gave up at the beginning of a conditional, all directives of conditionals are left out.
pub(super) fn left_out(text: &str, tokens: &[Token], errors: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left_out = unread_directives(text, tokens, errors);
    let mut open: Vec<Conditional> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'{' | b'(') => count(&mut open, 1),
            Kind::Mark(b'}' | b')') => count(&mut open, -1),
            Kind::Directive => {
                let name = directive(&text[token.bytes.clone()]);
                if name.starts_with("if") {
                    open.push(Conditional { directives: vec![index], open: 0, is_broken: false });
                } else if name.starts_with("el") || name == "endif" {
                    let Some(last) = open.last_mut() else { continue };
                    last.directives.push(index);
                    last.is_broken |= last.open != 0;
                    let net = std::mem::take(&mut last.open);
                    if name == "endif" {
                        let ended = open.pop().expect("a conditional is open");
                        if ended.is_broken {
                            leave_out(text, tokens, &ended, &mut left_out);
                        }
                        // The branch that stays counts for the conditional around it.
                        count(&mut open, net);
                    }
                }
            }
            _ => {}
        }
    }
    left_out.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    left_out.dedup_by(|inner, outer| inner.start < outer.end);
    left_out
}

/// Returns the directives of conditionals in the errors that begin with one.
fn unread_directives(text: &str, tokens: &[Token], errors: &[Range<usize>]) -> Vec<Range<usize>> {
    let of_conditional = |token: &&Token| {
        let name = directive(&text[token.bytes.clone()]);
        token.kind == Kind::Directive
            && (name.starts_with("if") || name.starts_with("el") || name == "endif")
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    for error in errors {
        let first = tokens.partition_point(|token| token.bytes.start < error.start);
        let within = tokens[first..].iter().take_while(|token| token.bytes.start < error.end);
        let begins = |token: &&Token| token.bytes.start == error.start && of_conditional(token);
        if tokens.get(first).as_ref().is_some_and(begins) {
            found.extend(within.filter(of_conditional).map(|token| token.bytes.clone()));
        }
    }
    found
}

fn count(open: &mut [Conditional], by: isize) {
    if let Some(last) = open.last_mut() {
        last.open += by;
        // A bracket that closes before it opens belongs to the text before the branch.
        last.is_broken |= last.open < 0;
    }
}

/// Leaves out the directives, and the branches that are not kept.
fn leave_out(
    text: &str,
    tokens: &[Token],
    conditional: &Conditional,
    left_out: &mut Vec<Range<usize>>,
) {
    let [first, .., last] = &conditional.directives[..] else { return };
    let is_off = text[tokens[*first].bytes.clone()].split_ascii_whitespace().eq(["#if", "0"]);
    let kept = usize::from(is_off && conditional.directives.len() > 2);
    let (begin, end) = (conditional.directives[kept], conditional.directives[kept + 1]);
    left_out.push(tokens[*first].bytes.start..tokens[begin].bytes.end);
    left_out.push(tokens[end].bytes.start..tokens[*last].bytes.end);
}

/// Returns the name of a directive.
fn directive(line: &str) -> &str {
    let name = line.trim_start_matches('#').trim_start();
    name.split(|char: char| !char.is_ascii_alphabetic()).next().unwrap_or_default()
}
