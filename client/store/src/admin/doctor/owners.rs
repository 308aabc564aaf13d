//! Checks of the roles whose code runs when the relations of a store are read.

use super::super::super::connection::Store;
use super::super::super::error::Error;
use super::super::ownership::{Access, check_owner};
use super::finding::Finding;
use crate::postgres_text::quote_literal;

impl Store {
    /// Returns whether rows can be read without running code of another role.
    pub(super) async fn check_store_owner(
        &self,
        findings: &mut Vec<Finding>,
    ) -> Result<bool, Error> {
        match check_owner(&self.client, &[&self.name], Access::Read).await {
            Ok(()) => Ok(true),
            Err(Error::NotOwner { object, owner, .. }) => {
                findings.push(Finding::bad(
                    "owner",
                    format!(
                        "{object} belongs to the role \"{owner}\": the store was not checked, since that could run code of \"{owner}\""
                    ),
                    format!("Run passage doctor as \"{owner}\" or as a member of that role."),
                ));
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Checks whether the view `chunks_embedded` runs code of a role that does not own the tables. No check reads this view,
    /// so the others run nevertheless.
    pub(super) async fn check_view_owner(&self, findings: &mut Vec<Finding>) -> Result<(), Error> {
        match check_owner(&self.client, &[&self.name], Access::ReadView).await {
            Err(Error::NotOwner { object, owner, .. }) => findings.push(Finding::bad(
                "owner",
                format!(
                    "{object} belongs to the role \"{owner}\": programs that read chunks_embedded run code of \"{owner}\""
                ),
                format!(
                    "DROP VIEW {schema}.chunks_embedded; SELECT passage.upgrade_store({store});",
                    schema = self.schema,
                    store = quote_literal(&self.name)
                ),
            )),
            checked => checked?,
        }
        Ok(())
    }
}
