/*!
Hybrid search against its better leg.

The better leg is chosen afterwards and for each budget, which is a bar that nobody could have chosen before.
*/

use std::fmt;

use super::passages::{MODES, name, ways};
use super::report::figures;
use super::table::{BUDGETS, Comparison, MethodRecalls, head};

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

/// Returns the result of the leg with the higher mean recall at a budget.
fn better(one: &MethodRecalls, other: &MethodRecalls, at: usize) -> Vec<f64> {
    let sum = |row: &MethodRecalls| row.recalls[at].iter().sum::<f64>();
    if sum(one) >= sum(other) { one.recalls[at].clone() } else { other.recalls[at].clone() }
}
