//! The shell that gives the model to SQL.
