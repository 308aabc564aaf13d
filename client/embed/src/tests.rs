//! Tests of the default model. Its folder is the one that the build fetches, or `PASSAGE_MODEL`. The tests
//! fail without it, since a skipped test proves nothing.

mod reference;

use super::{Embedding, Model, Pool};
use passage_split::Sizer;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let fetched = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/ground/all-MiniLM-L6-v2");
    let folder =
        std::env::var_os("PASSAGE_MODEL").map_or_else(|| PathBuf::from(fetched), PathBuf::from);
    Model::load(&folder).expect("the default model is installed")
});

/// The example on the start page of sentence-transformers.
const SENTENCES: [&str; 3] =
    ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."];

fn cosine(a: &Embedding, b: &Embedding) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn embeddings_match_the_example_of_sentence_transformers() {
    let [weather, sunny, stadium] = SENTENCES.map(|sentence| MODEL.embed(sentence).unwrap());
    for (a, b, expected) in
        [(&weather, &sunny, 0.6660), (&weather, &stadium, 0.1046), (&sunny, &stadium, 0.1411)]
    {
        assert!((cosine(a, b) - expected).abs() < 0.0005, "{} for {expected}", cosine(a, b));
    }
    assert_eq!((weather.len(), MODEL.dimensions()), (384, 384));
    assert!((cosine(&weather, &weather) - 1.0).abs() < 1e-5);
    assert_eq!(MODEL.name(), super::DEFAULT_MODEL);
}

/// Returns the largest difference of two numbers in the same place. Texts that are embedded together are rounded otherwise.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[tokio::test]
async fn a_pool_returns_the_embedding_of_each_text() {
    let pool = Pool::new(&MODEL, None).unwrap();
    let pending = SENTENCES.map(|sentence| pool.submit(sentence.to_owned()));
    for (sentence, pending) in SENTENCES.into_iter().zip(pending) {
        let difference =
            difference(&pending.wait().await.unwrap(), &MODEL.embed(sentence).unwrap());
        assert!(difference < 1e-5, "{difference}");
    }
}

#[test]
fn texts_that_are_embedded_together_get_the_same_embeddings() {
    let texts = [SENTENCES[0], "", "word", SENTENCES[1], &"words ".repeat(300)].map(String::from);
    let together = MODEL.embed_batch(&texts).unwrap();
    for (text, embedding) in texts.iter().zip(&together) {
        let difference = difference(embedding, &MODEL.embed(text).unwrap());
        assert!(difference < 1e-5, "{difference}");
    }
    assert_eq!(together.len(), texts.len());
    assert!(MODEL.embed_batch(&[]).unwrap().is_empty());
}

#[test]
fn embed_truncates_a_long_text_and_accepts_an_empty_one() {
    let beginning = "word ".repeat(254);
    let long = beginning.clone() + "something else entirely";
    assert_eq!(MODEL.embed(&long).unwrap(), MODEL.embed(&beginning).unwrap());
    assert_eq!(MODEL.embed("").unwrap().len(), 384);
}

#[test]
fn size_excludes_special_wordpieces() {
    let size = |text: &str| MODEL.wordpieces().size(text);
    assert_eq!(size(""), 0);
    assert_eq!(size("The weather is lovely today."), 6);
    assert_eq!(size("unhappiness"), 4);
    assert_eq!(size("\u{1f9ff}"), 1);
}

#[test]
fn size_counts_a_quarter_of_the_characters_of_a_long_word() {
    let size = |text: &str| MODEL.wordpieces().size(text);
    assert_eq!(size(&"a".repeat(400)), 100);
    let size = size(&"a".repeat(10 << 20));
    assert!((2_600_000..2_700_000).contains(&size), "{size}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The splitter adds sizes, and splits after white space.
    #[test]
    fn sizes_are_additive_at_white_space(a in "[a-zé,.(\u{4e00} ]{0,80}", b in "\\PC{0,80}", space in "[ \n\t]") {
        let size = |text: &str| MODEL.wordpieces().size(text);
        let a = a + &space;
        prop_assert_eq!(size(&format!("{a}{b}")), size(&a) + size(&b));
    }

    /// ASCII words are counted without the library, so the splits and the chunks of a document depend on this.
    #[test]
    fn sizes_equal_those_of_the_library(parts in prop::collection::vec(part(), 0..40)) {
        let text = parts.concat();
        let sizer = MODEL.wordpieces();
        prop_assert_eq!(sizer.size(&text), sizer.count_by_library(&text), "{:?}", text);
    }
}

/// Returns words, separators, and what a tokenizer reads in another way: added tokens, controls, accents, long words.
fn part() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "[UNK]",
        "[PAD]",
        "[sep]",
        "[SEP",
        "SEP]",
        "##ing",
        "\u{1}",
        "\u{b}",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{2028}",
        "\u{3000}",
        "\u{301}",
        "\u{fffd}",
        "\u{ad}",
        "\0",
        "İ",
        "ẞ",
        "don't",
        "e\u{301}",
        "\u{4e00}",
        "\u{1f9ff}",
    ]);
    prop_oneof![
        4 => "[ \t\r\n]{1,3}",
        4 => "[a-z]{1,12}",
        2 => "[a-zA-Z0-9_]{1,30}",
        2 => "[!-~]{1,8}",
        2 => special.prop_map(str::to_owned),
        1 => "[a-z0-9]{99,102}",
        1 => "[a-zA-Zéñßøд]{1,10}",
        1 => "\\PC{0,8}",
        1 => any::<String>(),
    ]
}
