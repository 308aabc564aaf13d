/*!
The text that is indexed and searched.

PostgreSQL's parser takes a sentence without spaces as one word, and drops signs, so that `C++` is `C`. This module
writes a text so that the parser finds the words that a reader sees:

```text
使用docker部署服务   ->  使用 docker 部署 署服 服务
Ｃ＋＋ 与 .NET       ->  cplusplus 与 dotnet
```

Index, queries, phrases and lines of fragments all pass through here, so they agree. Pairs of a run overlap. So a
phrase of pairs at consecutive positions matches exactly the same run, and chunks with more of the pairs of a question
rank higher, although nobody knows where its words end.

# Source

Foo and Li, *Chinese word segmentation and its effect on information retrieval* (2004): pairs of characters find about
as much as words of a dictionary.

Its twin in SQL is `sql/edition/functions/section.sql`.
*/

use super::normalize::normalize;
use super::scripts::{syllables, unspaced};
use memchr::memchr3_iter;
use passage_split::interrupt::poll_periodically;
use std::borrow::Cow;
use unicode_normalization::char::is_combining_mark;

/// How runs of a script without spaces are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// As pairs of neighboring syllables, for the default parser of PostgreSQL.
    Pairs,
    /// As they are, for a parser that finds the words of such a script.
    Whole,
}

/// Names whose signs the parser drops, and the words that replace them.
const SIGNS: [(&str, &str); 5] = [
    ("c++", "cplusplus"),
    ("g++", "gplusplus"),
    ("c#", "csharp"),
    ("f#", "fsharp"),
    (".net", "dotnet"),
];

/// Returns a text as it is indexed and searched. Most texts of English are returned unchanged.
///
/// ```
/// use passage_core::search::{Runs, searchable_text};
///
/// let text = searchable_text("使用docker部署服务", Runs::Pairs);
/// assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["使用", "docker", "部署", "署服", "服务"]);
/// ```
pub fn searchable_text(text: &str, runs: Runs) -> Cow<'_, str> {
    let text = match normalize(text) {
        Cow::Borrowed(text) => replace_signs(text),
        Cow::Owned(text) => Cow::Owned(replace_signs(&text).into_owned()),
    };
    if text.is_ascii() {
        return text;
    }
    let mut words = String::with_capacity(text.len() + text.len() / 8);
    let mut characters = text.char_indices().peekable();
    let mut round = 0;
    while let Some((at, character)) = characters.next() {
        round += 1;
        poll_periodically(round);
        if let Some(script) = unspaced(character) {
            let mut end = at + character.len_utf8();
            while let Some((next, character)) = characters
                .next_if(|(_, next)| unspaced(*next) == Some(script) || is_combining_mark(*next))
            {
                round += 1;
                poll_periodically(round);
                end = next + character.len_utf8();
            }
            add_run(&mut words, &text[at..end], runs);
        } else if character.is_ascii()
            || character.is_alphanumeric()
            || is_combining_mark(character)
        {
            words.push(character);
        } else {
            // In a database with the locale C, the parser would take it as a letter.
            words.push(' ');
        }
    }
    Cow::Owned(words)
}

/// Adds a run between spaces, since a change of the script ends a word.
fn add_run(words: &mut String, run: &str, runs: Runs) {
    let starts = syllables(run);
    words.push(' ');
    if runs == Runs::Whole || starts.len() < 3 {
        words.push_str(run);
    } else {
        for (number, ends) in starts.windows(3).enumerate() {
            poll_periodically(number);
            if number > 0 {
                words.push(' ');
            }
            words.push_str(&run[ends[0]..ends[2]]);
        }
    }
    words.push(' ');
}

/// Replaces the names in [`SIGNS`] that stand alone.
fn replace_signs(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut replaced = String::new();
    let mut copied = 0;
    for (number, sign) in memchr3_iter(b'+', b'#', b'.', bytes).enumerate() {
        poll_periodically(number);
        let found = SIGNS.iter().find_map(|(name, word)| {
            let offset = name.find(['+', '#', '.']).expect("each name has a sign");
            let start = sign.checked_sub(offset).filter(|start| *start >= copied)?;
            let end = start + name.len();
            let is_name = bytes.get(start..end)?.eq_ignore_ascii_case(name.as_bytes());
            let stands_alone = is_name
                && !text[..start].ends_with(is_part_of_name)
                && !text[end..].starts_with(|next| is_part_of_sign(next, name));
            stands_alone.then_some((start, end, word))
        });
        if let Some((start, end, word)) = found {
            replaced.push_str(&text[copied..start]);
            replaced.extend([" ", word, " "]);
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(&text[copied..]);
    Cow::Owned(replaced)
}

/// Returns whether a character before a name makes it part of a longer one, as in `ASP.NET`.
fn is_part_of_name(before: char) -> bool {
    let is_letter =
        before.is_alphanumeric() && unspaced(before).is_none() && !is_combining_mark(before);
    is_letter || matches!(before, '_' | '.' | '+' | '#')
}

/// Returns whether a character behind a name makes it part of a longer one. A number may follow: `C++17`.
fn is_part_of_sign(next: char, name: &str) -> bool {
    let is_number = next.is_ascii_digit() && name.ends_with(['+', '#']);
    matches!(next, '+' | '#' | '_')
        || (next.is_alphanumeric() && unspaced(next).is_none() && !is_number)
}

#[cfg(test)]
mod tests {
    use super::{Runs, searchable_text};

    fn words(text: &str) -> Vec<String> {
        searchable_text(text, Runs::Pairs).split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_run_without_spaces_becomes_pairs() {
        assert_eq!(words("日本語、京"), ["日本", "本語", "京"]);
        assert_eq!(words("데이터를 저장"), ["데이", "이터", "터를", "저장"]);
        assert_eq!(words("ข้อมูล"), ["ข้อ", "อมู", "มูล"]);
        assert_eq!(words("ខ្មែរ ລາວ"), ["ខ្មែរ", "ລາວ"]);
    }

    #[test]
    fn a_change_of_script_ends_a_word() {
        for (text, expected) in [
            (
                "使用docker部署服务、调用API时需要token",
                "使用 docker 部署 署服 服务 调用 API 时需 需要 token",
            ),
            ("PostgreSQL中运行install.sh即可", "PostgreSQL 中运 运行 install.sh 即可"),
            ("config.yamlファイルでport8080を", "config.yaml ファ ァイ イル ルで port8080 を"),
            ("Kubernetes에서 API키는", "Kubernetes 에서 API 키는"),
            ("ＡＰＩキー", "API キー"),
        ] {
            assert_eq!(words(text).join(" "), expected);
        }
    }

    #[test]
    fn other_parsers_get_runs_whole() {
        assert_eq!(searchable_text("使用docker", Runs::Whole).trim(), "使用 docker");
    }

    #[test]
    fn names_with_signs_are_words() {
        for (text, expected) in [
            ("C++, C# and F#.", "cplusplus , csharp and fsharp ."),
            ("C/C++ and c++17", "C/ cplusplus and cplusplus 17"),
            (".NET 8", "dotnet 8"),
            ("使用C++和.NET", "使用 cplusplus 和 dotnet"),
            ("Ｃ＋＋", "cplusplus"),
        ] {
            assert_eq!(words(text).join(" "), expected);
        }
        for text in [
            "ASP.NET",
            "example.net",
            "i++",
            "objc++",
            "c+++",
            "# C",
            "C#define",
            "a.networks",
            ".netrc",
        ] {
            assert_eq!(searchable_text(text, Runs::Pairs), text);
        }
    }

    #[test]
    fn a_long_text_polls_for_interrupts_in_each_step() {
        use passage_split::interrupt;
        const LENGTH: usize = 1 << 16;
        thread_local! {
            static POLLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
        }
        interrupt::register(|| POLLS.set(POLLS.get() + 1));
        // The text is copied in usual forms, composed, read as a run, cut into syllables, and written as pairs.
        for (character, steps) in [("日", 5), ("\u{301}", 3)] {
            POLLS.set(0);
            searchable_text(&character.repeat(LENGTH), Runs::Pairs);
            assert!(POLLS.get() >= steps * LENGTH / 1024, "{} polls in {character}", POLLS.get());
        }
    }

    #[test]
    fn punctuation_outside_of_ascii_separates() {
        assert_eq!(words("“a”—b…"), ["a", "b"]);
    }

    proptest::proptest! {
        #[test]
        fn searchable_text_stays(text in "(?s)([ -~]|\\PC|日|本|ข้|อ|한|글|ｶ|ﾞ|\\+\\+|C#){0,20}") {
            for runs in [Runs::Pairs, Runs::Whole] {
                let once = words_of(&text, runs);
                proptest::prop_assert_eq!(&words_of(&once.join(" "), runs), &once);
            }
        }

        #[test]
        fn part_of_a_run_has_consecutive_pairs_of_it(run in "[日志文件轮换]{2,12}", start in 0_usize..10, length in 2_usize..6) {
            let part: String = run.chars().skip(start).take(length).collect();
            let (all, part) = (words(&run), words(&part));
            if part.first().is_some_and(|pair| pair.chars().count() == 2) {
                proptest::prop_assert!(all.windows(part.len()).any(|window| window == part));
            }
        }
    }

    fn words_of(text: &str, runs: Runs) -> Vec<String> {
        searchable_text(text, runs).split_whitespace().map(str::to_owned).collect()
    }
}
