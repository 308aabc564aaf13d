//! The functions of the extension as the catalog has them, for tests that call each of them.

mod ordinary_values;

pub use ordinary_values::{OrdinaryValues, ordinary_value};

use crate::Cluster;

/// A function of the schema `passage` or `_passage` that is not a trigger function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name with its schema.
    pub name: String,
    /// Whether its code is in the library.
    pub is_native: bool,
    /// The number of arguments without a default, which are the first ones.
    pub required: usize,
    /// The arguments, in their order.
    pub arguments: Vec<Argument>,
    /// The columns of a function without a type of its own for the result, to write after its call.
    pub columns: &'static str,
}

/// An argument of a function.
#[derive(Clone, Debug)]
pub struct Argument {
    /// The name, which every argument has.
    pub name: String,
    /// The type as SQL names it.
    pub sql_type: String,
    is_variadic: bool,
}

/// Returns the functions, ordered by their names.
///
/// # Panics
///
/// Panics if the server does not have the extension.
pub async fn functions(cluster: &Cluster) -> Vec<Function> {
    let sql = "SELECT prorettype = 'record'::regtype AND proargmodes IS NULL, lanname = 'c', pronamespace::regnamespace || '.' || proname, pronargs - pronargdefaults, (
            SELECT string_agg(concat_ws('=', proargnames[place], format_type(type, NULL),
                CASE WHEN place = pronargs AND provariadic <> 0 THEN 'variadic' END), ';' ORDER BY place)
            FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS a (type, place))
        FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
        WHERE pronamespace IN ('passage'::regnamespace, '_passage'::regnamespace) AND prokind = 'f' AND prorettype <> 'trigger'::regtype
        ORDER BY 3, 5";
    cluster.query_lines(sql).await.iter().map(|line| function(line)).collect()
}

fn function(line: &str) -> Function {
    let mut parts = line.split('|');
    let mut next = || parts.next().expect("a row has five columns");
    let columns = if next() == "t" { " (one pg_catalog.int4)" } else { "" };
    let is_native = next() == "t";
    let (name, required) = (next().to_owned(), next().parse().expect("it is a number"));
    let argument = |part: &str| {
        let mut parts = part.split('=');
        let mut next = || parts.next().expect("an argument has a type").to_owned();
        Argument { name: next(), sql_type: next(), is_variadic: parts.next().is_some() }
    };
    let arguments =
        next().split(';').filter(|argument| !argument.is_empty()).map(argument).collect();
    Function { name, is_native, required, arguments, columns }
}

impl Function {
    /// Returns a `SELECT` of the call with the given values of the arguments, where `None` leaves an argument with a
    /// default out. An output column is an expression over the result `f`.
    pub fn call(&self, output: &str, values: &[Option<String>]) -> String {
        let given = self.arguments.iter().zip(values).filter_map(|(argument, value)| {
            let variadic = if argument.is_variadic { "VARIADIC " } else { "" };
            Some(format!("{variadic}{} => {}", argument.name, value.as_ref()?))
        });
        let given: Vec<_> = given.collect();
        format!("SELECT {output} FROM {}({}) AS f{}", self.name, given.join(", "), self.columns)
    }
}
