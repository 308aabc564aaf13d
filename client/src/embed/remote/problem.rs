//! What can be wrong with a service.

/// What is wrong with a service. Of what a service says nothing is passed on but a number, since
/// it may repeat what it was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The address is none, or the key cannot be sent.
    #[error("cannot be asked: {0}")]
    Address(String),
    /// The key, or a password in the address, would be readable on its way.
    #[error("would be sent the key over plain http")]
    PlainKey,
    /// It was not reached, or did not answer in time.
    #[error("does not answer: {0}, tried {1} times")]
    Unreachable(&'static str, u32),
    /// It is busy or broken, and was so each time.
    #[error("answers with status {0}, tried {1} times")]
    Busy(u16, u32),
    /// It wants to be left alone for longer than one waits.
    #[error("answers with status {0} and wants to be asked again in {1} s")]
    Later(u16, u64),
    /// The key is not there or not good.
    #[error("does not let one in (status {0})")]
    Key(u16),
    /// It does not know the model, or is none at this address.
    #[error("knows no such address or model (status {0})")]
    Unknown(u16),
    /// It refuses the request.
    #[error("refuses the request (status {0})")]
    Refused(u16),
    /// A text is too long for it however much is cut off.
    #[error("takes no text, however short")]
    TooLong,
    /// What it answers is not what such a service answers.
    #[error("gives an answer that cannot be used: {0}")]
    Garbled(&'static str),
    /// Its embeddings are of another length than they were, or were to be.
    #[error("gives embeddings of {found} dimensions in place of {expected}")]
    Dimensions {
        /// What was asked for, or came first.
        expected: usize,
        /// What came.
        found: usize,
    },
}

impl Problem {
    /// Tells whether it may be otherwise in a while.
    pub(in crate::embed) fn is_passing(&self) -> bool {
        matches!(self, Problem::Unreachable(..) | Problem::Busy(..) | Problem::Later(..))
    }

    /// Says what to do about it.
    pub(in crate::embed) fn remedy(&self) -> String {
        match self {
            Problem::Address(_) => {
                "Give --embed-url as https://host/v1, without /embeddings, and PASSAGE_API_KEY as one word.".into()
            }
            Problem::PlainKey => {
                "Give --embed-url with https://. Plain http is for services on this machine, and for those that take no key: unset \
                 PASSAGE_API_KEY."
                    .into()
            }
            Problem::Unreachable(..) => {
                "Check that the service runs and that --embed-url names it; what is done stays done, so run the command again.".into()
            }
            Problem::Busy(..) | Problem::Later(..) => {
                "Run the command again later: what is done stays done. Fewer requests at a time are --embed-concurrency.".into()
            }
            Problem::Key(_) => {
                "Put the key into PASSAGE_API_KEY; it is read from the environment alone.".into()
            }
            Problem::Unknown(_) => {
                "Check --embed-url, which /embeddings is appended to, and --embed-model.".into()
            }
            Problem::Refused(_) => {
                "The log of the service says why; --embed-dimensions and the size of batches may be what it does not take.".into()
            }
            Problem::TooLong | Problem::Garbled(_) => {
                "Check that --embed-url names a service that speaks as OpenAI does, and --embed-model a model that embeds.".into()
            }
            Problem::Dimensions { found, .. } => format!(
                "Leave --embed-dimensions out, or make a store for {found} dimensions with passage init --store."
            ),
        }
    }
}
