//! x
use super::block::Blocks;
pub(super) fn blocks(text: &str) -> Blocks {
    super::plain::blocks(text)
}
pub(super) fn title(_text: &str) -> Option<String> {
    None
}
