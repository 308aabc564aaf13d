//! The remedies for failures of an embedding service.

use crate::service::ServiceError;

/// Returns what to do, in full sentences.
pub(crate) fn remedy(error: &ServiceError) -> String {
    match error {
        ServiceError::InvalidConfig(_) => {
            "Set --embed-url to a URL such as https://host/v1, and PASSAGE_API_KEY to a key without spaces."
                .into()
        }
        ServiceError::KeyOverHttp => {
            "Use https:// in --embed-url. Plain HTTP is for services on this machine, and for services without a key: \
             unset PASSAGE_API_KEY."
                .into()
        }
        ServiceError::Unreachable(..) => {
            "Check that the service runs and that --embed-url names it. Then run the command again; finished work is kept."
                .into()
        }
        ServiceError::Busy(..) | ServiceError::RetryLater(..) => {
            "Run the command again later; finished work is kept. A smaller --embed-concurrency sends fewer requests at a time."
                .into()
        }
        ServiceError::Unauthorized(_) => {
            "Set PASSAGE_API_KEY, or the variable of the service such as OPENAI_API_KEY, to the API key. The client reads it \
             only from the environment."
                .into()
        }
        ServiceError::NotFound(_) => {
            "Check --embed-provider, --embed-url, to which the client appends the path such as /embeddings, and --embed-model."
                .into()
        }
        ServiceError::Rejected(_) => {
            "Read the log of the service. It may not support --dimensions or the size of the batches.".into()
        }
        ServiceError::TooLong | ServiceError::InvalidResponse(_) => {
            "Check that --embed-provider names the API of the service at --embed-url, and --embed-model an embedding model."
                .into()
        }
        ServiceError::Dimensions { actual, .. } => format!(
            "Leave out --dimensions, or create a store for {actual} dimensions with passage init --store."
        ),
    }
}
