/*!
Points in time, as ISO 8601 writes them: `2024-05-01`, `2024-05-01T12:30`, `2024-05-01 12:30:00.5+02:00`.

A date is its midnight, and a time without an offset is in UTC. The day is always complete: `2024` and `2024-05` are
texts.

Its twin in SQL is `sql/edition/internal/iso_instant.sql`.
*/

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * 60 * MINUTE;

/// The days of the years before 1970, from the first of March of the year 0.
const EPOCH: i64 = 719_468;

/// Returns the point in time that a text is, in microseconds since 1970, or `None` if it is not a date.
///
/// ```
/// use passage_core::metadata_filter::iso_instant;
///
/// assert_eq!(iso_instant("1970-01-02"), Some(86_400_000_000));
/// assert_eq!(iso_instant("2024-05-01T12:00+02:00"), iso_instant("2024-05-01 10:00:00Z"));
/// assert_eq!(iso_instant("2024-02-30"), None);
/// ```
pub fn iso_instant(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let year = number(&mut rest, 4)?;
    let month = after(&mut rest, b'-')?;
    let day = after(&mut rest, b'-')?;
    // The day before and the day after also have years of four digits.
    let is_date = (1..=9998).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day);
    if !is_date {
        return None;
    }
    let midnight = days(year, month, day) * DAY;
    let Some((separator, mut rest)) = rest.split_first() else { return Some(midnight) };
    if !matches!(separator, b'T' | b't' | b' ') {
        return None;
    }
    let hour = number(&mut rest, 2)?;
    let minute = after(&mut rest, b':')?;
    let (mut second, mut fraction) = (0, 0);
    if rest.first() == Some(&b':') {
        second = after(&mut rest, b':')?;
        if let Some(digits) = rest.strip_prefix(b".") {
            (fraction, rest) = micros(digits)?;
        }
    }
    let offset = offset(rest)?;
    // The last minute of a day may have a leap second.
    let is_time = hour <= 23 && minute <= 59 && second <= 60;
    is_time.then(|| midnight + (hour * 60 + minute - offset) * MINUTE + second * SECOND + fraction)
}

/// Returns the date in UTC, `days` after that of a point in time.
pub fn date_of(instant: i64, days: i64) -> String {
    // Howard Hinnant, "chrono-compatible low-level date algorithms".
    let shifted = instant.div_euclid(DAY) + days + EPOCH;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the days since 1970.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads a number of exactly so many digits.
fn number(rest: &mut &[u8], digits: usize) -> Option<i64> {
    let (number, behind) = rest.split_at_checked(digits)?;
    *rest = behind;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    number.iter().try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

/// Reads a separator and a number of two digits.
fn after(rest: &mut &[u8], separator: u8) -> Option<i64> {
    *rest = rest.strip_prefix(&[separator])?;
    number(rest, 2)
}

/// Reads the digits of a fraction of a second, in microseconds. Digits after the sixth are cut off.
fn micros(digits: &[u8]) -> Option<(i64, &[u8])> {
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let digit = |at: usize| digits.get(at).map_or(0, |byte| i64::from(byte - b'0'));
    (1..=18).contains(&end).then(|| ((0..6).fold(0, |sum, at| sum * 10 + digit(at)), rest))
}

/// Reads an offset from UTC, in minutes: nothing, `Z`, `+02`, `+0200` or `+02:00`.
fn offset(mut rest: &[u8]) -> Option<i64> {
    let sign = match rest.split_first() {
        None | Some((b'Z' | b'z', [])) => return Some(0),
        Some((b'+', behind)) => {
            rest = behind;
            1
        }
        Some((b'-', behind)) => {
            rest = behind;
            -1
        }
        Some(_) => return None,
    };
    let hours = number(&mut rest, 2)?;
    rest = rest.strip_prefix(b":").unwrap_or(rest);
    let minutes = if rest.is_empty() { 0 } else { number(&mut rest, 2)? };
    (rest.is_empty() && hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}
