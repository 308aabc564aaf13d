/*!
Logs: each record is a block, with the lines that continue it.

A record begins with its time. All other lines, such as those of a stack trace, belong to the record before
them, also after a blank line:

```text
2026-01-02 03:04:05 ERROR query failed     <- a record
java.sql.SQLException: timeout
    at shop.Basket.load(Basket.java:12)
2026-01-02 03:04:06 INFO retried           <- the next one
```

A text is a log if most of its unindented lines begin so. A trace that is too long is cut before its causes.

Its twin in SQL is `sql/edition/split/blocks.sql`.
*/

use super::{
    block_builder::{BlockBuilder, Lines},
    blocks::Blocks,
    plain,
};

/// The number of lines at the beginning that decide whether a text is a log.
const SAMPLE_LINES: usize = 64;

/// The least number of records of a log.
const LEAST_RECORDS: usize = 3;

/// The lines that begin a cause in a stack trace.
const CAUSES: [&str; 5] = [
    "Caused by:",
    "Traceback (most recent",
    "During handling of",
    "The above exception",
    "goroutine ",
];

/// Finds the blocks of a document.
pub(super) fn blocks(text: &str) -> Blocks {
    let lines = Lines::of(text);
    let sample = lines.from(0).map(|(_, line)| line);
    let unindented = sample.filter(|line| !line.is_blank() && !line.is_indented());
    let (mut records, mut others) = (0, 0);
    for line in unindented.take(SAMPLE_LINES) {
        if begins_record(line.text) {
            records += 1;
        } else {
            others += 1;
        }
    }
    if records < LEAST_RECORDS || records <= others {
        return plain::blocks(text);
    }
    let mut builder = BlockBuilder::new();
    for (at, line) in lines.from(0) {
        if at == 0 || begins_record(line.text) {
            builder.body(line.start);
        } else if CAUSES.iter().any(|cause| line.text.trim_start().starts_with(cause)) {
            builder.item(line.start);
        }
    }
    builder.finish(text)
}

/// Returns whether a line begins with a time, perhaps after its level or the address of a client.
fn begins_record(line: &str) -> bool {
    let head = &line[..line.floor_char_boundary(100)];
    let mut words =
        head.split([' ', '\t', '|', ',']).map(|word| word.trim_matches(['[', ']', '(', ')', '"']));
    let is_level = |word: &str| {
        ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL"]
            .iter()
            .any(|level| word.trim_end_matches(':').eq_ignore_ascii_case(level))
    };
    let Some(first) = words.find(|word| !word.is_empty() && !is_level(word)) else { return false };
    is_shaped(first, "0000-00-00")
        || is_shaped(first, "0000/00/00")
        || is_shaped(first, "00:00:00")
        || is_shaped(first, "00/aaa/0000")
        || is_shaped(first, "time=")
        || is_kernel(line)
        // glog: `I0102 03:04:05.678`.
        || (is_shaped(first, "a0000") && words.next().is_some_and(|next| is_shaped(next, "00:00:00")))
        || is_syslog(head)
        || is_access(head)
}

/// Returns whether a text begins with a pattern, in which `0` is any digit and `a` any letter.
fn is_shaped(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, pattern)| match pattern {
            b'0' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            other => byte == other,
        })
}

/// Returns whether a line begins like `[   12.345678] `, with the seconds since a kernel started.
fn is_kernel(line: &str) -> bool {
    let time = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    time.is_some_and(|(time, _)| time.trim().parse::<f64>().is_ok() && time.contains('.'))
}

/// Returns whether a line begins like `Jan  2 03:04:05 host`.
fn is_syslog(head: &str) -> bool {
    const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let mut words = head.split_ascii_whitespace();
    let mut is = |check: &dyn Fn(&str) -> bool| words.next().is_some_and(check);
    is(&|word| word.len() == 3 && MONTHS.split(' ').any(|month| month == word))
        && is(&|word| word.parse::<u8>().is_ok())
        && is(&|word| is_shaped(word, "00:00:00"))
}

/// Returns whether a line begins like `10.0.0.1 - - [02/Jan/2026:03:04:05`.
fn is_access(head: &str) -> bool {
    let time = head.split_once(" [").map_or("", |(_, time)| time);
    is_shaped(time, "00/aaa/0000:00:00:00")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<&str> {
        let first = |start: usize| text[start..].lines().next().unwrap();
        blocks(text).list.iter().map(|block| first(block.start)).collect()
    }

    #[test]
    fn a_stack_trace_stays_with_its_record() {
        let record = "2026-01-02 03:04:05,678 ERROR query failed";
        let trace =
            "java.sql.SQLException: timeout\n\n\tat a.B.c(B.java:1)\nCaused by: x\n\tat d.e\n";
        let text = format!("{record}\n{trace}{record}\n{record}\n");
        assert_eq!(starts(&text), [record; 3]);
        assert_eq!(blocks(&text).items.len(), 1);
    }

    #[test]
    fn records_of_many_programs_are_known() {
        for line in [
            "[2026-01-02T03:04:05Z INFO  app] started",
            "INFO 2026-01-02 03:04:05 started",
            "WARNING:  2026/01/02 03:04:05 started",
            "03:04:05.678 [main] DEBUG a.B - started",
            "I0102 03:04:05.678901 1 main.go:1] started",
            "Jan  2 03:04:05 host sshd[1]: started",
            "10.0.0.1 - - [02/Jan/2026:03:04:05 +0000] \"GET / HTTP/1.1\" 200 1",
            "[02/Jan/2026 03:04:05] \"GET / HTTP/1.1\" 200 1",
            "[    0.123456] usb 1-1: new device",
        ] {
            assert!(begins_record(line), "{line}");
        }
        for line in
            ["", "Words and more.", "at 03:04:05 it began", "1. First", "[1] A note", "January 2"]
        {
            assert!(!begins_record(line), "{line}");
        }
    }

    #[test]
    fn a_text_with_some_dates_is_no_log() {
        assert_eq!(starts("2026-01-02 a day\n\nWords.\nMore.\n\nThe end.\n").len(), 3);
    }
}
