//! The errors of an encoder.

/// A failure to load or use an encoder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    File(#[from] safetensors::SafeTensorError),
    #[error("{0}")]
    Config(#[from] serde_json::Error),
    #[error("{0}")]
    Read(#[from] std::io::Error),
    #[error("the file ends before tensor {0}")]
    Truncated(String),
    #[error("the architecture \"{0}\" is not supported")]
    Architecture(String),
    #[error("{0} is not supported")]
    Setting(&'static str),
    #[error("the file has no tensor {0}")]
    Missing(String),
    #[error("tensor {name} has the shape {actual:?} instead of {expected:?}")]
    Shape { name: String, actual: Vec<usize>, expected: Vec<usize> },
    #[error("tensor {name} has numbers of the type {dtype}, which are not supported")]
    Type { name: String, dtype: safetensors::Dtype },
    #[error("the model reads at most {0} wordpieces")]
    TooLong(usize),
    #[error("wordpiece {0} is not in the vocabulary of the model")]
    Vocabulary(u32),
}
