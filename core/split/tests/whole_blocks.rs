//! Cuts of long code: between tests, routes, arms and callbacks that fit a chunk, and not inside of them.

#![cfg(feature = "code")]

use passage_split::{Characters, ChunkLimits, MediaType, SplitOptions, split};
use proptest::prelude::*;

const LIMITS: ChunkLimits = ChunkLimits { min: 150, preferred: 400, max: 600, window: 800 };

/// Returns how many of some blocks are in more than one chunk.
fn cut_blocks(text: &str, media_type: &str, blocks: &[String]) -> usize {
    let split =
        split(text, &MediaType::new(media_type), &SplitOptions::new(LIMITS), &Characters).unwrap();
    assert_eq!(split.syntax_error, None, "{text}");
    let is_cut = |block: &&String| {
        let start = text.find(&***block).unwrap();
        let inside = start + 1..start + block.trim_end().len();
        split.chunks.iter().any(|chunk| inside.contains(&chunk.bytes.start))
    };
    blocks.iter().filter(is_cut).count()
}

/// Returns blocks with different numbers of statements, each with a head and an end.
fn blocks(
    sizes: &[usize],
    head: impl Fn(usize) -> String,
    statement: &str,
    end: &str,
) -> Vec<String> {
    let block =
        |(at, size): (usize, &usize)| format!("{}{}{end}", head(at), statement.repeat(*size));
    sizes.iter().enumerate().map(block).collect()
}

proptest! {
    #[test]
    fn callbacks_that_fit_are_not_cut(sizes in prop::collection::vec(2_usize..11, 3..12)) {
        let statement = "    expect(await service.call(7)).toBe(true);\n";
        let tests = blocks(&sizes, |at| format!("  it('handles case {at}', async () => {{\n"), statement, "  });\n\n");
        let text = format!("describe('service', () => {{\n{}}});\n", tests.concat());
        prop_assert_eq!(cut_blocks(&text, "text/x-typescript", &tests), 0, "{}", text);

        let statement = "    req.session.count = req.session.count + 1;\n";
        let routes = blocks(&sizes, |at| format!("router.post('/path{at}', (req, res) => {{\n"), statement, "});\n\n");
        prop_assert_eq!(cut_blocks(&routes.concat(), "text/javascript", &routes), 0, "{}", routes.concat());

        let statement = "            state.counter += state.next_value(7);\n";
        let arms = blocks(&sizes, |at| format!("        Event::Number{at} => {{\n"), statement, "        }\n");
        let text = format!("fn handle(state: &mut State, event: Event) {{\n    match event {{\n{}    }}\n}}\n", arms.concat());
        prop_assert_eq!(cut_blocks(&text, "text/x-rust", &arms), 0, "{}", text);
    }
}
