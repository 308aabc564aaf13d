//! Manual pages and makefiles: sections, titles, and no loss.

use crate::invariants::inputs::{edited, limits};
use crate::invariants::splitting::find_violation;
use passage_split::{Characters, ChunkLimits, Kind, MediaType, SplitOptions, split};
use proptest::prelude::*;

/// Limits that give each unit a chunk of its own.
const UNITS: ChunkLimits = ChunkLimits { min: 0, preferred: 1, max: 120, window: 1_000 };

const MAKEFILE: &str = "# A tool.\nCC := gcc\nSOURCES = \\\n\ta.c \\\n\tb.c\n\n.PHONY: all\n# Builds all.\nall: tool docs\n\n\
    %.o: %.c\n\t$(CC) -c $< \\\n\t  -o $@\n\n\t# A comment of the shell.\n\t@echo \"done: $@\"\n\nifdef DEBUG\nCFLAGS += -g\nendif\n\n\
    define HELP\nusage: make\n\n\tmore\nendef\n\n$(OUT)/a $(OUT)/b &: x=1\n$(OUT)/a: b\n\tcp $< $@\n\ninclude other.mk\nclean:: ; rm -f *.o\n";

const MAN_PAGE: &str = ".TH TOOL 1\n.SH NAME\ntool \\- copies files\n.SH OPTIONS\n.TP\n.B \\-v, \\-\\-verbose\n\
    Says what it does.\n.TP\n.B \\-q\nSays nothing at all.\n.SH FILES\nNone.\n";

fn sections(text: &str, media_type: &str) -> Vec<String> {
    let document =
        split(text, &MediaType::new(media_type), &SplitOptions::new(UNITS), &Characters).unwrap();
    assert_eq!(document.syntax_error, None);
    let mut sections: Vec<_> =
        document.chunks.iter().map(|chunk| chunk.section.join("/")).collect();
    sections.dedup();
    sections
}

#[test]
fn a_rule_of_a_makefile_is_a_section_with_its_commands() {
    let expected = ["", "all", "%.o", "", "HELP", "$(OUT)/a $(OUT)/b", "$(OUT)/a", "", "clean"];
    assert_eq!(sections(MAKEFILE, "text/x-makefile"), expected);
    let options = SplitOptions::new(UNITS);
    let chunks =
        split(MAKEFILE, &MediaType::new("text/x-makefile"), &options, &Characters).unwrap().chunks;
    let chunk = |title: &str| chunks.iter().find(|chunk| chunk.section == [title]).unwrap();
    assert!(chunk("all").content.starts_with(".PHONY: all\n# Builds all.\n"));
    assert!(chunk("%.o").content.trim_end().ends_with("\"done: $@\""));
    assert!(chunk("HELP").content.trim_end().ends_with("endef"));
    assert_eq!(chunk("all").kind, Kind::Code);
}

#[test]
fn an_option_of_a_manual_page_stays_with_its_description() {
    let limits = ChunkLimits { min: 0, preferred: 1, max: 60, window: 1_000 };
    let media_type = MediaType::new("text/troff");
    let document = split(MAN_PAGE, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
    let found: Vec<_> = document
        .chunks
        .iter()
        .map(|chunk| (chunk.section.join("/"), chunk.content.lines().last().unwrap()))
        .collect();
    let expected = [
        ("", ".TH TOOL 1"),
        ("NAME", "tool \\- copies files"),
        ("OPTIONS", "Says what it does."),
        ("OPTIONS", "Says nothing at all."),
        ("FILES", "None."),
    ];
    assert_eq!(found, expected.map(|(section, line)| (section.to_owned(), line)));
    assert_eq!(passage_split::title(MAN_PAGE, &media_type).as_deref(), Some("TOOL(1)"));
}

proptest! {
    #[test]
    fn any_edit_is_split_without_loss(
        is_makefile in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40), 0..6),
        piece in prop::sample::select(vec!["", "\n", "\t", "\\", ":", ".SH\n", "define x\n", "\"", "\u{e9}\r\n"]),
        limits in limits(1..300),
    ) {
        let (text, name) = if is_makefile { (MAKEFILE, "text/x-makefile") } else { (MAN_PAGE, "text/troff") };
        let text = edits.into_iter().fold(text.repeat(2), |text, (at, length)| edited(&text, at, length, piece));
        let split = split(&text, &MediaType::new(name), &SplitOptions::new(limits), &Characters).unwrap();
        prop_assert_eq!(find_violation(&text, &split.chunks, limits, &Characters), None);
    }
}
