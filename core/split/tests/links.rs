//! The links of documents: what counts as one, with its place, in each syntax.

use passage_split::{Characters, ChunkLimits, Link, MAX_LINKS, MediaType, SplitOptions, split};
use proptest::prelude::*;

/// The media types whose links are found.
const TYPES: [&str; 7] = [
    "text/markdown",
    "text/x-rst",
    "text/x-asciidoc",
    "text/x-python",
    "text/x-typescript",
    "text/x-rust",
    "text/x-go",
];

fn links(text: &str, media_type: &str) -> Vec<Link> {
    let options = SplitOptions::new(ChunkLimits::CHARACTERS);
    let split = split(text, &MediaType::new(media_type), &options, &Characters).unwrap();
    split.chunks.into_iter().flat_map(|chunk| chunk.links).collect()
}

/// Returns `kind target#section (text)` of each link.
fn shown(text: &str, media_type: &str) -> Vec<String> {
    let show = |link: Link| {
        let Link { kind, target, section, text, .. } = link;
        format!("{} {target}#{section} ({text})", kind.name())
    };
    links(text, media_type).into_iter().map(show).collect()
}

#[test]
fn links_of_markdown_are_those_outside_of_code_and_images() {
    let text = "---\ntitle: x\n---\n# See [`logs` and\nmore](logs.md#Rotation \"title\")\n\n[a][ref], [ref], <https://example.org/x>,\n\
        ![i](i.png), [mail](mailto:a@b.c), `[code](c.md)`, <a class='x' href=\"h.html#top\">h</a>\n\n\
        ```\n[code](d.md) [[Code]]\n```\n\n- [[Note]], [[folder/Note#Heading|shown]], [[broken\n\n[ref]: <../ref file.md>\n";
    let expected = [
        "link https://example.org/x# (https://example.org/x)",
        "link h.html#top ()",
        "wiki Note# (Note)",
        "wiki folder/Note#Heading (shown)",
    ];
    let found = shown(text, "text/markdown");
    assert_eq!(found[..2], ["link ../ref file.md# (a)", "link ../ref file.md# (ref)"]);
    assert_eq!(found[2..], expected);
    let heading = shown("# See [`logs` more](logs.md#Rotation \"title\")\n", "text/markdown");
    assert_eq!(heading, ["link logs.md#Rotation (logs more)"]);
    assert_eq!(shown("[top](#top) []()", "text/markdown"), ["link #top (top)"]);
}

#[test]
fn links_of_restructuredtext_are_roles_targets_and_contents() {
    let text = "See :doc:`guide/setup` or :doc:`the guide </guide>` and `site <page.html#top>`_, `alias <named_>`_, ``:doc:`code```.\n\n\
        .. include:: part.rst\n\n.. _named: other.rst\n\n.. toctree::\n   :maxdepth: 2\n\n   intro\n   The API <api>\n\n\
        .. code-block:: rst\n\n   :doc:`in_code`\n\nA literal::\n\n    `x <literal>`_\n\nAfter :doc:`after`.\n";
    let expected = [
        "link guide/setup# (guide/setup)",
        "link /guide# (the guide)",
        "link page.html#top (site)",
        "include part.rst# ()",
        "link other.rst# (named)",
        "link intro# (intro)",
        "link api# (The API)",
        "link after# (after)",
    ];
    assert_eq!(shown(text, "text/x-rst"), expected);
}

#[test]
fn references_of_restructuredtext_lead_to_labels() {
    let text = ".. _Set  Up:\n.. _`a: b`:\n\n.. index::\n   single: x\n\n.. A comment, :ref:`hidden`.\n\nTitle\n=====\n\n\
        See :ref:`Set up`, (\u{3000}:std:ref:`the\nend <SET\nUP>`), :numref:`fig`, :external+py:ref:`no`, :ref:`!no`, :ref:`genindex`.\n\n\
        .. figure:: x.png\n   :name: Fig\n\n   A caption, :ref:`a\\: b`.\n\n.. note:: In an argument :ref:`x`.\n\n\
        .. [1] In a footnote :ref:`y`.\n\n.. code::\n   :name: code\n\n   .. _in-code:\n\n.. _other:\n   other.rst\n\n.. _last:\n";
    let expected = [
        "label #set up ()",
        "label #a: b ()",
        "reference #set up (Set up)",
        "reference #set up (the end)",
        "reference #fig (fig)",
        "label #fig ()",
        "reference #a: b (a\\: b)",
        "reference #x (x)",
        "reference #y (y)",
        "label #code ()",
        "link other.rst# (other)",
        "label #last ()",
    ];
    assert_eq!(shown(text, "text/x-rst"), expected);
    let places = links(text, "text/x-rst").into_iter().map(|link| &text[link.bytes]);
    let places: Vec<_> = places.collect();
    assert_eq!(places[..3], ["Title", "Title", "`Set up`"]);
    assert_eq!((places[5], places[11]), (".. figure:: x.png", ".. _last:"));
}

#[test]
fn a_label_before_a_title_is_in_the_chunk_of_its_section() {
    let limits = ChunkLimits { min: 1, preferred: 20, ..ChunkLimits::CHARACTERS };
    for (media_type, text) in [
        ("text/x-rst", "A\n=\n\nText before it.\n\n.. _b:\n\nB\n=\n\nText behind it.\n"),
        ("text/x-asciidoc", "== A\n\nText before it.\n\n[[b]]\n\n== B\n\nText behind it.\n"),
    ] {
        let media_type = MediaType::new(media_type);
        let split = split(text, &media_type, &SplitOptions::new(limits), &Characters).unwrap();
        let labelled = split.chunks.iter().filter(|chunk| !chunk.links.is_empty());
        let sections: Vec<_> = labelled.map(|chunk| chunk.section.join("/")).collect();
        assert_eq!(sections, ["B"], "{media_type:?}");
    }
}

#[test]
fn a_label_is_normalized_bounded_and_counts_once() {
    let label = |name: &str| shown(&format!(".. _{name}:\n\nText\n"), "text/x-rst");
    assert_eq!(label("Ä\u{a0}\t b"), ["label #ä b ()"]);
    assert_eq!(label("_"), Vec::<String>::new());
    assert_eq!(label("\u{0}"), Vec::<String>::new());
    assert_eq!(label(&"x".repeat(1_001)), Vec::<String>::new());
    // In lower case it is longer.
    assert_eq!(label(&"\u{130}".repeat(400)), Vec::<String>::new());
    assert_eq!(label(&"x".repeat(100_000)), Vec::<String>::new());
    assert_eq!(shown(".. _a:\n\nText\n\n.. _A:\n\nText\n", "text/x-rst"), ["label #a ()"]);
    let labels: Vec<_> = (0..1_000_000).map(|number| format!(".. _{number}:\n")).collect();
    let labels = labels.concat();
    for end in ["", "\nText\n"] {
        assert_eq!(links(&(labels.clone() + end), "text/x-rst").len(), MAX_LINKS);
    }
}

#[test]
fn links_of_asciidoc_are_macros_references_and_includes() {
    let text = "= Guide\n\nSee xref:setup.adoc#install[the setup], xref:here[], <<rotate,rotation>>, <<a.adoc#b>>\n\
        and link:page.html[a page].\n\n----\nxref:code.adoc[]\n----\n\ninclude::part.adoc[leveloffset=1]\n";
    let expected = [
        "link setup.adoc#install (the setup)",
        "reference #here ()",
        "reference #rotate (rotation)",
        "link a.adoc#b (a.adoc#b)",
        "link page.html# (a page)",
        "include part.adoc# ()",
    ];
    assert_eq!(shown(text, "text/x-asciidoc"), expected);
}

#[test]
fn labels_of_asciidoc_are_anchors_and_ids() {
    let text = "[[One,text]]\n[quote]\n== Title\n\n[#two.role%option]\nText\n\n[discrete#three]\n== T\n\n[source,id=four]\n----\n[[no]]\n----\n\n\
        An [[five]]anchor, anchor:six[] and a[[0]].\n\n* [[[seven]]] Book\n\n1 << 2 and <<One,the\nfirst>>, xref:a.b[], xref:c[].\n";
    let expected = [
        "label #one ()",
        "label #two ()",
        "label #three ()",
        "label #four ()",
        "label #five ()",
        "label #six ()",
        "label #seven ()",
        "reference #one (the first)",
        "reference #a.b ()",
        "reference #c ()",
    ];
    assert_eq!(shown(text, "text/x-asciidoc"), expected);
}

#[test]
fn resources_of_antora_are_paths() {
    let text = "xref:a.adoc[] xref:m:/b/c.adoc#d[] xref:2.0@k:m:e.adoc[] xref:k::f.adoc[] xref:attachment$g.zip[] xref:https://x.org/h#i[]\n\n\
        include::partial$/j.adoc[]\n\ninclude::m:example$k.rb[]\n";
    let expected = [
        "link a.adoc# ()",
        "link /modules/m/pages/b/c.adoc#d ()",
        "link /k/modules/m/pages/e.adoc# ()",
        "link /k/modules/ROOT/pages/f.adoc# ()",
        "link /attachments/g.zip# ()",
        "link https://x.org/h#i ()",
        "include /partials/j.adoc# ()",
        "include /modules/m/examples/k.rb# ()",
    ];
    assert_eq!(shown(text, "text/x-asciidoc"), expected);
}

#[cfg(feature = "html")]
#[test]
fn links_of_html_survive_the_conversion() {
    let page = "<main><h1>T</h1><p>See <a href='b/c%20d.html#x'>c <b>d</b></a> and <a href=#y>y</a>.</main>";
    let converted = passage_split::convert(page, &MediaType::new("text/html"), None).unwrap();
    let text = converted.unwrap().text;
    let expected = ["link b/c%20d.html#x (c d)", "link #y (y)"];
    assert_eq!(shown(&text, "text/markdown"), expected);
}

#[cfg(feature = "code")]
#[test]
fn imports_name_modules_as_paths_and_the_imported_names() {
    for (media_type, text, expected) in [
        (
            "text/x-python",
            "import a.b as c, d\nfrom . import e\nfrom ..f.g import h as i, j\nfrom k import *\n",
            &[
                "import a/b#",
                "import d#",
                "import ./e#",
                "import ../f/g#h",
                "import ../f/g#j",
                "import k#",
            ][..],
        ),
        (
            "text/x-typescript",
            "import a, { b as c } from './d.js';\nimport 'react';\nexport * from \"../e\";\nimport f from '@/g/h';\n",
            &["import ./d#b", "import ../e#", "import g/h#"],
        ),
        (
            "text/javascript",
            "const { a } = require('./b');\nexport default { a: './c' };\n",
            &["import ./b#"],
        ),
        (
            "text/x-rust",
            "use std::fs;\nuse crate::a::{b::C, self, d::*};\nuse super::e;\nmod f;\nmod g { }\n",
            &["import a/b#C", "import a#", "import a#d", "import e#", "import f#"],
        ),
        (
            "text/x-go",
            "package a\nimport (\n\"fmt\"\nx \"example.org/o/r/pkg/b\"\ny \"example.org/o/r/v2/c\"\n\"example.org/o/r\"\n\"a.b////\"\n)\n",
            &["label ./#", "import example.org/o/r/pkg/b/#", "import example.org/o/r/c/#"],
        ),
        (
            "text/x-go",
            "package main\nimport \"example.org/o/r/b\"\n",
            &["import example.org/o/r/b/#"],
        ),
        (
            "text/x-java",
            "import a.b.C;\nimport static a.b.D.run;\nimport a.b.*;\n",
            &["import a/b/C#", "import a/b/D#run"],
        ),
        (
            "text/x-c",
            "#include \"a/b.h\"\n#include <stdio.h>\n#include <c/d.h>\n",
            &["include a/b.h#", "include c/d.h#"],
        ),
        ("text/x-ruby", "require_relative 'a'\nrequire 'b/c'\n", &["import ./a#", "import b/c#"]),
        ("text/x-php", "<?php\nuse A\\B\\C as D;\n", &["import A/B/C#"]),
        ("text/x-shellscript", ". \"$DIR/lib/a.sh\"\nsource ./b.sh\n", &["include lib/a.sh#"]),
        ("text/css", "@import 'a.css';\n", &["include ./a.css#"]),
    ] {
        let found = shown(text, media_type);
        let found: Vec<_> = found.iter().map(|link| link.split(" (").next().unwrap()).collect();
        assert_eq!(found, expected, "{media_type}");
    }
}

#[test]
fn the_links_of_a_document_are_bounded() {
    let text = "[a](b) ".repeat(MAX_LINKS + 10);
    assert_eq!(links(&text, "text/markdown").len(), MAX_LINKS);
    let long = format!("[{}](b) [c]({})\n", "t ".repeat(5_000), "d".repeat(1_001));
    let found = links(&long, "text/markdown");
    assert_eq!(found.len(), 1);
    assert!(found[0].text.len() <= 200);
}

proptest! {
    /// Markup in any order never makes splitting fail, and links are in the text, in order.
    #[test]
    fn links_are_in_the_text(
        parts in prop::collection::vec(prop::sample::select(vec![
            "[", "]", "[[", "]]", "(", ")", "a", "#", "|", "`", "``", "<", ">", "_", "::", ".. ", "include::", ".. toctree::", "xref:",
            "<<", ">>", "\n", "\n\n", "    ", "href=", "<a href='x'>", "\"", "é", "\u{0}", ":doc:", "import ", "use ", "{", "}", ";", "from ", "'./b'",
            ":ref:", ".. _a:", ":name: ", ".. x::", "[[a]]", "[#a]", "anchor:a[", "package a", "$", "@", "\u{130}",
            "\u{85}", "\u{a0}", "\u{3000}", "“", "::ref:`b`", "_:", "😀",
        ]), 0..60),
        media_type in prop::sample::select(TYPES.to_vec()),
    ) {
        let text = parts.concat();
        let mut before = 0;
        for link in links(&text, media_type) {
            prop_assert!(text.get(link.bytes.clone()).is_some_and(|written| !written.is_empty()));
            prop_assert!(before <= link.bytes.start);
            prop_assert!(!(link.target.is_empty() && link.section.is_empty()));
            prop_assert!(!link.section.contains(char::is_control) && link.section.len() <= 1_000);
            before = link.bytes.start;
        }
    }
}

/// A document of one repeated part takes at most in proportion longer than one of half its size.
#[test]
fn time_is_linear_in_markup() {
    for (part, media_type) in [
        ("[[", "text/markdown"),
        ("<a href='", "text/markdown"),
        ("`x <", "text/x-rst"),
        ("<<", "text/x-asciidoc"),
        ("xref:", "text/x-asciidoc"),
        (">>", "text/x-asciidoc"),
        ("[[a ", "text/x-asciidoc"),
        ("[[a]]\n", "text/x-asciidoc"),
        ("anchor:", "text/x-asciidoc"),
        (".. _a:\n", "text/x-rst"),
        (":ref:`a`", "text/x-rst"),
        ("`a\n", "text/x-rst"),
        ("a:", "text/x-rst"),
        (".. a::\n :name: b\n", "text/x-rst"),
    ] {
        let time = |count: usize| {
            let text = part.repeat(count);
            let start = std::time::Instant::now();
            links(&text, media_type);
            start.elapsed()
        };
        time(1_000);
        let (half, whole) = (time(20_000), time(40_000));
        assert!(
            whole < half * 3 + std::time::Duration::from_millis(100),
            "{part}: {half:?}, {whole:?}"
        );
    }
}
