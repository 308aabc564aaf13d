//! The languages with a grammar, for the property tests and the fuzz target.

/// The media types of the languages.
pub const LANGUAGES: [&str; 16] = [
    "text/x-rust",
    "text/x-typescript",
    "text/x-tsx",
    "text/javascript",
    "text/x-jsx",
    "text/x-python",
    "text/x-go",
    "text/x-java",
    "text/x-c",
    "text/x-c++",
    "text/x-csharp",
    "text/x-ruby",
    "text/x-php",
    "text/x-shellscript",
    "text/x-sql",
    "text/css",
];
