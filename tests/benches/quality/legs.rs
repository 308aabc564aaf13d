/*!
Whether two legs find more than one.

Hybrid search is compared with the better of its legs. Which that is, is seen afterwards, for each
budget by its own: a bar that nobody could have chosen before.
*/

use std::fmt;

use super::passages::{MODES, name, ways};
use super::report::figures;
use super::table::{BUDGETS, Comparison, Row, head};

/// The legs and hybrid search, over all questions.
pub struct Legs<'a>(pub &'a Comparison);

impl fmt::Display for Legs<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(comparison) = self;
        writeln!(formatter, "{}\nhybrid against the better leg\n", comparison.title)?;
        head(formatter, "method")?;
        for way in ways() {
            let [vector, text, hybrid] = MODES.map(|mode| comparison.row(&name(&way, mode)));
            let better: Vec<_> = (0..BUDGETS.len()).map(|at| better(vector, text, at)).collect();
            for (row, first) in [(vector, None), (text, None), (hybrid, Some(&better[..]))] {
                write!(formatter, "| {} |", row.name)?;
                figures(formatter, first, &row.recalls)?;
                writeln!(formatter)?;
            }
        }
        Ok(())
    }
}

/// What the leg of higher mean recall brought at a budget.
fn better(one: &Row, other: &Row, at: usize) -> Vec<f64> {
    let sum = |row: &Row| row.recalls[at].iter().sum::<f64>();
    if sum(one) >= sum(other) { one.recalls[at].clone() } else { other.recalls[at].clone() }
}
