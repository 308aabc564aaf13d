//! How a comment is written in the languages that have one.

use super::MediaType;

/// What stands before and behind the text of a comment of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// What begins it.
    pub begins: &'static str,
    /// What ends it, empty where the line does.
    pub ends: &'static str,
}

const fn line(begins: &'static str) -> Comment {
    Comment { begins, ends: "" }
}

impl MediaType {
    /// Returns how a comment is written, or `None` where there is none, as in JSON, or where it is
    /// not known.
    pub fn comment(&self) -> Option<Comment> {
        Some(match self.structure() {
            "text/x-rust" | "text/x-typescript" | "text/x-tsx" | "text/javascript"
            | "text/x-jsx" | "text/x-go" | "text/x-java" | "text/x-kotlin" | "text/x-scala"
            | "text/x-groovy" | "text/x-swift" | "text/x-dart" | "text/x-c" | "text/x-c++"
            | "text/x-objective-c" | "text/x-csharp" | "text/x-php" | "text/x-zig"
            | "text/x-scss" | "text/x-protobuf" => line("//"),
            "text/x-python" | "text/x-ruby" | "text/x-perl" | "text/x-r" | "text/x-julia"
            | "text/x-elixir" | "text/x-shellscript" | "text/x-powershell" | "text/x-makefile"
            | "text/x-cmake" | "text/x-dockerfile" | "text/x-hcl" | "text/x-graphql"
            | "text/x-yaml" | "text/x-toml" => line("#"),
            "text/x-sql" | "text/x-lua" | "text/x-haskell" => line("--"),
            "text/x-erlang" => line("%"),
            "text/x-clojure" | "text/x-ini" => line(";"),
            "text/css" => Comment { begins: "/*", ends: "*/" },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media_type::{Family, table::KNOWN};

    #[test]
    fn every_language_has_a_comment_and_json_has_none() {
        for known in &KNOWN {
            let comment = MediaType::new(known.name).comment();
            // A difference is no language.
            if known.family == Family::Code && known.name != "text/x-diff" {
                assert!(comment.is_some(), "{}", known.name);
            }
            if known.name.contains("json") {
                assert_eq!(comment, None, "{}", known.name);
            }
        }
    }
}
