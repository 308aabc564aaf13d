//! The comparison of several ways at the same budgets.

use std::fmt;

use super::report::figures;
use super::saved::Recalls;

/// The budgets in tokens.
pub const BUDGETS: [usize; 5] = [256, 512, 1_024, 2_048, 4_096];

/// One way over all questions of a set.
#[derive(Clone)]
pub struct MethodRecalls {
    pub name: String,
    /// For each budget, the recall of each question.
    pub recalls: Vec<Vec<f64>>,
}

/// All ways; first those that the others are compared with.
pub struct Comparison {
    /// The name of the sets.
    pub title: String,
    pub yardsticks: usize,
    pub rows: Vec<MethodRecalls>,
}

impl MethodRecalls {
    /// Joins the rows of one way over several sets.
    pub fn union<'r>(rows: impl IntoIterator<Item = &'r Self>) -> Self {
        let mut rows = rows.into_iter();
        let first = rows.next().expect("there is a set");
        let mut union = Self { name: first.name.clone(), recalls: first.recalls.clone() };
        for row in rows {
            assert_eq!(row.name, union.name, "the sets were asked in the same ways");
            for (all, more) in union.recalls.iter_mut().zip(&row.recalls) {
                all.extend(more);
            }
        }
        union
    }
}

impl Comparison {
    /// Joins comparisons over several sets.
    pub fn union(comparisons: &[Self]) -> Self {
        let first = &comparisons[0];
        let rows_at = |number: usize| comparisons.iter().map(move |one| &one.rows[number]);
        let title = match comparisons.len() {
            1 => first.title.clone(),
            count => format!("{count} sets together"),
        };
        Self {
            title,
            yardsticks: first.yardsticks,
            rows: (0..first.rows.len())
                .map(|number| MethodRecalls::union(rows_at(number)))
                .collect(),
        }
    }

    /// Returns the recalls of each question, of a set with this name.
    pub fn recalls(&self, set: &str) -> Vec<Recalls> {
        let row_recalls = |row: &MethodRecalls| {
            let pairs = BUDGETS.into_iter().zip(row.recalls.clone());
            let (set, method) = (set.to_owned(), row.name.clone());
            let recalls = move |(budget, questions): (usize, Vec<f64>)| Recalls {
                set: set.clone(),
                method: method.clone(),
                budget: budget.to_string(),
                questions,
            };
            pairs.map(recalls).collect::<Vec<_>>()
        };
        self.rows.iter().flat_map(row_recalls).collect()
    }

    /// Returns the row of a name.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    pub fn row(&self, name: &str) -> &MethodRecalls {
        let row = self.rows.iter().find(|row| row.name == name);
        row.unwrap_or_else(|| panic!("{name} was measured"))
    }
}

/// Writes the head of a table with the title of its first column.
pub fn head(formatter: &mut fmt::Formatter<'_>, first: &str) -> fmt::Result {
    write!(formatter, "| {first} |")?;
    for budget in BUDGETS {
        write!(formatter, " recall {budget} | complete {budget} |")?;
    }
    writeln!(formatter, "\n|---|{}", "---|---|".repeat(BUDGETS.len()))
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, yardsticks, rows } = self;
        for yardstick in &rows[..*yardsticks] {
            let name = &yardstick.name;
            writeln!(formatter, "{title}\ndifferences to {name}\n")?;
            head(formatter, "method")?;
            for row in rows {
                write!(formatter, "| {} |", row.name)?;
                let first = (row.name != *name).then_some(&yardstick.recalls[..]);
                figures(formatter, first, &row.recalls)?;
                writeln!(formatter)?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}
