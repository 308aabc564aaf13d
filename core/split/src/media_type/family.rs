//! The properties that media types share: the family, and how a comment is written.

/// The family of a media type. It decides how chunks are joined and what the strategy `auto` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Flowing text. A blank line separates chunks that do not touch.
    Prose,
    /// Source code. Nothing separates chunks.
    Code,
    /// Structured data. Nothing separates chunks.
    Data,
}

/// The syntax of a one-line comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSyntax {
    /// The mark before the text.
    pub prefix: &'static str,
    /// The mark behind the text; empty where the line end closes the comment.
    pub suffix: &'static str,
    /// The statement that is the body of a block without lines, in languages whose blocks end with their
    /// indentation.
    pub empty_body: Option<&'static str>,
}
