//! How a comment is written in the languages that have one.

use super::MediaType;

/// What stands before and behind the text of a comment of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSyntax {
    /// What begins it.
    pub prefix: &'static str,
    /// What ends it, empty where the line does.
    pub suffix: &'static str,
}

impl MediaType {
    /// Returns how a comment is written, or `None` where there is none, as in JSON, or where it is
    /// not known.
    pub fn comment_syntax(&self) -> Option<CommentSyntax> {
        self.known()?.comment
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media_type::{Family, table::KNOWN};

    #[test]
    fn every_language_has_a_comment_and_json_has_none() {
        for known in &KNOWN {
            let comment = MediaType::new(known.name).comment_syntax();
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
