//! Encoded data in documents, such as an image in base64, which says nothing as text.

/// The least number of characters in a row without white space that are a part of encoded data: a line of
/// base64 has 60 to 76.
const LEAST_RUN: usize = 60;

/// Returns whether a chunk is data in base64 and little else: four fifths of its characters, white space apart.
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
/// assert!(is_encoded_data(&format!("[image1]: <data:image/png;base64,{}>", image.repeat(4))));
/// assert!(!is_encoded_data(&format!("The logo of the shop is a red basket: ![]({image})")));
/// ```
pub fn is_encoded_data(text: &str) -> bool {
    let is_encoded = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let runs = text.as_bytes().chunk_by(|one, next| is_encoded(one) == is_encoded(next));
    let (mut encoded, mut other) = (0, 0);
    for run in runs {
        crate::interrupt::poll();
        if run.len() >= LEAST_RUN && is_encoded(&run[0]) && is_mixed(run) {
            encoded += run.len();
        } else {
            other += run.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
        }
    }
    encoded > 0 && encoded >= 4 * other
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
        let certificate =
            format!("-----BEGIN CERTIFICATE-----\n{lines}RTESMB==\n-----END CERTIFICATE-----\n");
        assert!(is_encoded_data(&certificate));
    }

    #[test]
    fn text_beside_data_is_not_encoded() {
        let words = "The certificate of the shop is renewed each year. ".repeat(4);
        assert!(!is_encoded_data(&format!("{words}{LINE}")));
    }

    #[test]
    fn words_paths_and_numbers_are_not_encoded() {
        let path = "/en/guides/".repeat(20);
        let number = "0123456789abcdef".repeat(20);
        let name = "GuardedConnectionPool".repeat(20);
        for text in ["", " \n", "word", &path, &number, &name, &"\u{4f60}\u{597d}".repeat(99)] {
            assert!(!is_encoded_data(text), "{text}");
        }
    }
}
