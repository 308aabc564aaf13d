//! Nothing: the features of the dependencies of this crate are what it is for.
