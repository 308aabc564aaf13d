//! Encoded data in documents, such as an image in base64, which says nothing as text.
//!
//! Its twin in SQL is `sql/edition/internal/is_encoded_data.sql`.

/// The least number of characters in a row of encoded data: a line of base64 has 60 to 76.
const LEAST_RUN: usize = 60;

/// The maximum number of other words in encoded data, such as `-----BEGIN CERTIFICATE-----`.
const MAX_WORDS: usize = 2;

/// The maximum number of bytes that one word has around encoded data, such as `![logo](data:image/png;base64,`.
const MAX_MARKUP: usize = 64;

/// Returns whether a chunk is data in base64 and little else: at most two words.
///
/// Such a chunk stays in the text of its document, but gets no embedding, since its vector would be near to
/// nothing that was asked.
///
/// # Examples
///
/// ```
/// use passage_split::is_encoded_data;
///
/// let image = "iVBORw0KGgoAAAANSUhEUgAAAB4AAAAeCAYAAAA7MK6iAAAACXBIWXMAAAsTAAALEwEAmpwYAAAB";
/// assert!(is_encoded_data(&format!("[image1]: <data:image/png;base64,{image}>")));
/// assert!(!is_encoded_data(&format!("The logo of the shop: ![](data:image/png;base64,{image})")));
/// ```
pub fn is_encoded_data(text: &str) -> bool {
    let (mut is_encoded, mut words) = (false, 0);
    for word in text.split_whitespace() {
        crate::interrupt::poll();
        let is_data = is_encoded_word(word);
        is_encoded |= is_data;
        words += usize::from(!is_data);
        if words > MAX_WORDS {
            return false;
        }
    }
    is_encoded
}

fn is_encoded_word(word: &str) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let runs = word.as_bytes().split(|byte| !is_base64(byte));
    let encoded = runs.filter(|run| run.len() >= LEAST_RUN && is_mixed(run)).map(<[u8]>::len);
    let encoded: usize = encoded.sum();
    encoded > 0 && word.len() - encoded <= MAX_MARKUP
}

/// Returns whether a run has digits and letters of both cases, unlike words and hexadecimal numbers.
fn is_mixed(run: &[u8]) -> bool {
    run.iter().any(u8::is_ascii_digit)
        && run.iter().any(u8::is_ascii_lowercase)
        && run.iter().any(u8::is_ascii_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ";

    #[test]
    fn wrapped_data_is_encoded() {
        let lines = format!("{LINE}\r\n").repeat(12);
        assert!(is_encoded_data(&format!("-----BEGIN CERTIFICATE-----\n{lines}")));
        assert!(is_encoded_data(&format!("{lines}RTESMB==\n")));
    }

    #[test]
    fn text_beside_data_is_not_encoded() {
        let data = LINE.repeat(9);
        assert!(!is_encoded_data(&format!("# The logo\n\n![](data:image/png;base64,{data})")));
        let words = "\u{5546}\u{5e97}\u{7684}\u{6807}\u{5fd7}".repeat(9);
        assert!(!is_encoded_data(&format!("{words}\u{ff1a}{data}")), "a script without spaces");
    }

    #[test]
    fn words_paths_and_numbers_are_not_encoded() {
        let path = "/en/guides/".repeat(20);
        let number = "0123456789abcdef".repeat(20);
        let name = "GuardedConnectionPool".repeat(20);
        for text in ["", " \n", "word", &path, &number, &name] {
            assert!(!is_encoded_data(text), "{text}");
        }
    }
}
