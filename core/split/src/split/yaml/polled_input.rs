//! The input of the parser, which polls: the parser does not return until it has read a whole scalar.

use crate::interrupt;
use saphyr_parser::{Input, StrInput, input::SkipTabs};

/// The text of a stream. It polls periodically while the parser consumes characters.
pub(super) struct PolledInput<'t> {
    text: StrInput<'t>,
    consumed: usize,
}

impl<'t> PolledInput<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text: StrInput::new(text), consumed: 0 }
    }

    #[inline]
    fn poll(&mut self) {
        self.consumed += 1;
        interrupt::poll_periodically(self.consumed);
    }
}

/// Forwards methods to the text, whose methods are faster than the default ones of the trait.
macro_rules! forward {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $name(&self $(, $argument: $kind)*) -> $result {
            self.text.$name($($argument),*)
        }
    )*};
    (mut $($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $name(&mut self $(, $argument: $kind)*) -> $result {
            self.text.$name($($argument),*)
        }
    )*};
}

impl Input for PolledInput<'_> {
    #[inline]
    fn skip(&mut self) {
        self.poll();
        self.text.skip();
    }

    #[inline]
    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        self.poll();
        self.text.raw_read_non_breakz_ch()
    }

    forward! {
        buflen() -> usize;
        bufmaxlen() -> usize;
        buf_is_empty() -> bool;
        peek() -> char;
        peek_nth(n: usize) -> char;
        peek_opt() -> Option<char>;
        next_char_is(char: char) -> bool;
        nth_char_is(n: usize, char: char) -> bool;
        next_2_are(first: char, second: char) -> bool;
        next_3_are(first: char, second: char, third: char) -> bool;
        next_is_document_indicator() -> bool;
        next_is_document_start() -> bool;
        next_is_document_end() -> bool;
        next_can_be_plain_scalar(in_flow: bool) -> bool;
        next_is_blank_or_break() -> bool;
        next_is_blank_or_breakz() -> bool;
        next_is_blank() -> bool;
        next_is_break() -> bool;
        next_is_breakz() -> bool;
        next_is_z() -> bool;
        next_is_flow() -> bool;
        next_is_digit() -> bool;
        next_is_alpha() -> bool;
    }

    forward! { mut
        lookahead(count: usize) -> ();
        look_ch() -> char;
        raw_read_ch() -> char;
        skip_n(count: usize) -> ();
        skip_ws_to_eol(skip_tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>);
        skip_while_non_breakz() -> usize;
        skip_while_blank() -> usize;
        fetch_while_is_alpha(out: &mut String) -> usize;
        fetch_while_is_yaml_non_space(out: &mut String) -> usize;
    }
}
