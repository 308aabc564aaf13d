/*!
The share of a long sweep that one run takes.

Sweeps of thousands of cases take minutes, so each run takes an eighth of their cases. The eighth changes with the
day, and a release takes all.
*/

use crate::cluster::is_sql_edition;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of shares of a sweep.
const SHARES: usize = 8;

/// Returns the cases of a sweep that this run takes, in their order: about an eighth, and another one each day.
///
/// The variable `PASSAGE_SHARE` selects the share again that failed, 0 to 7. With `all` a run takes every case.
///
/// ```
/// use passage_tests::share::share;
///
/// let cases: Vec<_> = (0..100).collect();
/// assert!((2..=100).contains(&share(&cases).len()));
/// ```
///
/// # Panics
///
/// If `PASSAGE_SHARE` is neither a number nor `all`.
pub fn share<T: Clone>(cases: &[T]) -> Vec<T> {
    let share = match std::env::var("PASSAGE_SHARE").as_deref() {
        Ok("all") => return cases.to_vec(),
        Ok(given) => given.parse().expect("PASSAGE_SHARE must be a number or \"all\""),
        Err(_) => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970");
            (since.as_secs() / 86_400) as usize
        }
    } % SHARES;
    println!("PASSAGE_SHARE={share} repeats this share of the cases, PASSAGE_SHARE=all takes all");
    // A random share has cases of all kinds, in whatever loops the cases were made.
    let mut random = fastrand::Rng::with_seed(0);
    cases.iter().filter(|_| random.usize(..SHARES) == share).cloned().collect()
}

/// Returns all cases, and those that [`share`] takes on the second server of CI and on the SQL edition.
///
/// ```
/// use passage_tests::share::share_of_others;
///
/// let cases: Vec<_> = (0..100).collect();
/// assert!((2..=100).contains(&share_of_others(&cases).len()));
/// ```
///
/// # Panics
///
/// As [`share`].
pub fn share_of_others<T: Clone>(cases: &[T]) -> Vec<T> {
    let is_second =
        std::env::var("NEXTEST_PROFILE").is_ok_and(|profile| profile == "second-server");
    if is_second || is_sql_edition() { share(cases) } else { cases.to_vec() }
}
