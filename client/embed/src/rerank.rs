/*!
Reranking: a model reads the question together with each text, and returns a score.

Such a model is slower than a comparison of embeddings and more exact. So a search finds some dozens of
chunks, and a [`Reranker`] scores them: a [`CrossEncoder`] in this process, or a service. Both end after a
time limit, since a person waits.

# Examples

```no_run
use passage_embed::rerank::{RerankConfig, Reranker};
use std::time::Duration;

# async fn example() -> Result<(), passage_embed::rerank::Error> {
let service = RerankConfig::new("http://localhost:8080/v1");
let reranker = Reranker::service(service, Duration::from_secs(10))?;
let texts = ["Close the valve.".to_owned(), "Open the door.".to_owned()];
let scores = reranker.scores("How do I stop the water?", texts.to_vec()).await?;
assert!(scores[0] > scores[1]);
# Ok(())
# }
```
*/

mod activation;
mod classifier;
mod client;
mod config;
mod cross_encoder;
mod error;
mod pairs;
mod pool;
mod provider;
mod reranker;

pub use config::RerankConfig;
pub use cross_encoder::CrossEncoder;
pub use error::Error;
pub use pool::CrossEncoderPool;
pub use provider::RerankProvider;
pub use reranker::Reranker;
