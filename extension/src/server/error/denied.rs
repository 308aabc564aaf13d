//! Errors of PostgreSQL about rights that the role lacks.

use pgrx::pg_sys::panic::{CaughtError, ErrorReport};
use pgrx::{PgLogLevel, PgSqlErrorCode, PgTryBuilder, function_name};
use std::ops::Deref;
use std::panic::AssertUnwindSafe;

/// Calls `work`. If PostgreSQL raises an error about a right that has no HINT, as policies cause, the error gets this
/// one.
pub fn explain_denied<R>(work: impl FnOnce() -> R, hint: impl Fn() -> String) -> R {
    let hint = AssertUnwindSafe(hint);
    PgTryBuilder::new(AssertUnwindSafe(work))
        .catch_when(PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE, |cause| {
            if let CaughtError::PostgresError(report) = &cause
                && report.hint().is_none()
            {
                let mut explained = ErrorReport::new(
                    PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
                    report.message().to_owned(),
                    function_name!(),
                );
                if let Some(detail) = report.detail() {
                    explained = explained.set_detail(detail);
                }
                explained.set_hint(hint.deref()()).report(PgLogLevel::ERROR);
            }
            cause.rethrow()
        })
        .execute()
}
