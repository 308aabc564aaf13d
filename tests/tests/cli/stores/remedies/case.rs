//! A case: a store with a problem, its remedy, and who carries it out.

use passage_tests::cluster::OWNER;

/// The tables of a store `s` whose embeddings have 8 dimensions.
pub const TABLES: &str = "SELECT passage.create_store('s', 8)";
/// The same with partitions.
pub const PARTITIONS: &str = "SELECT passage.create_store('s', 8, partitions => 2)";

/// The role that reads the store and owns nothing.
pub const READER: &str = "reader";

/// The check that finds the problem.
#[derive(Clone, Copy, PartialEq)]
pub enum Check {
    /// `check_store(data => true)`.
    Store,
    /// `passage doctor` with options.
    Doctor(&'static [&'static str]),
}

/// A step of a user after the finding.
#[derive(Debug)]
pub enum Act {
    /// Executes the remedy as it is printed, as the owner.
    Remedy,
    /// Executes SQL as the owner.
    Sql(&'static str),
    /// Executes SQL as the superuser, as for the installation of another version.
    Superuser(&'static str),
    /// Runs the client with arguments.
    Client(&'static [&'static str]),
    /// Checks as this role from now on.
    As(&'static str),
}

/// A store with a problem, and what removes it.
pub struct Case {
    pub check: Check,
    /// The SQL that makes the store; the client then ingests into tables.
    pub store: &'static str,
    /// The SQL that makes the problem, by the superuser if it begins with `-- superuser`.
    pub damage: &'static str,
    /// The role that checks.
    pub role: &'static str,
    /// A part of the problem.
    pub problem: &'static str,
    /// The remedy, if it is a sentence.
    pub sentence: Option<&'static str>,
    pub acts: &'static [Act],
}

impl Case {
    /// A case whose remedy is SQL that suffices.
    pub const fn sql(store: &'static str, problem: &'static str, damage: &'static str) -> Self {
        Self::with(store, problem, damage, None, &[Act::Remedy])
    }

    /// A case whose remedy is a sentence.
    pub const fn sentence(
        store: &'static str,
        problem: &'static str,
        damage: &'static str,
        sentence: &'static str,
        acts: &'static [Act],
    ) -> Self {
        Self::with(store, problem, damage, Some(sentence), acts)
    }

    /// A case whose remedy is SQL, after which a user does more.
    pub const fn then(
        store: &'static str,
        problem: &'static str,
        damage: &'static str,
        acts: &'static [Act],
    ) -> Self {
        Self::with(store, problem, damage, None, acts)
    }

    const fn with(
        store: &'static str,
        problem: &'static str,
        damage: &'static str,
        sentence: Option<&'static str>,
        acts: &'static [Act],
    ) -> Self {
        Self { check: Check::Store, store, damage, role: OWNER, problem, sentence, acts }
    }

    /// The same, found by a role.
    pub const fn by(self, role: &'static str) -> Self {
        Self { role, ..self }
    }

    /// The same, found by `passage doctor`.
    pub const fn doctor(self, options: &'static [&'static str]) -> Self {
        Self { check: Check::Doctor(options), ..self }
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub object: String,
    pub problem: String,
    pub remedy: String,
}

/// The texts that findings had, and the remedies that were carried out.
#[derive(Default)]
pub struct Seen {
    pub problems: Vec<String>,
    pub remedies: Vec<String>,
}

impl Seen {
    /// Adds the lines of a file as problems.
    pub fn add_text(&mut self, text: &str) {
        self.problems.extend(text.lines().map(Into::into));
    }

    pub fn add(&mut self, finding: &Finding) {
        self.problems.push(format!("{}: {}", finding.object, finding.problem));
        self.remedies.push(finding.remedy.clone());
    }
}
