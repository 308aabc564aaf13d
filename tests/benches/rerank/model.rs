//! A rerank model of the size of the default model, with its layers.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

/// Writes the default model as a rerank model: with the names of a BERT that classifies, and a classifier of zeros.
pub fn write(folder: &Path, into: &Path) {
    fs::create_dir(into).expect("the folder is new");
    for name in ["config.json", "tokenizer.json"] {
        fs::copy(folder.join(name), into.join(name)).expect("the model is there");
    }
    let file = fs::read(folder.join("model.safetensors")).expect("the model is there");
    fs::write(into.join("model.safetensors"), with_classifier(&file)).expect("there is space");
}

/// Adds the tensors of a classifier to a file of weights. It begins with the size of its header, a JSON object with the
/// place of each tensor in the rest of the file.
fn with_classifier(file: &[u8]) -> Vec<u8> {
    let (size, rest) = file.split_first_chunk().expect("a file has a header");
    let size = usize::try_from(u64::from_le_bytes(*size)).expect("it fits in memory");
    let (header, numbers) = rest.split_at(size);
    let header: Map<String, Value> = serde_json::from_slice(header).expect("a header is JSON");
    let hidden = header["pooler.dense.bias"]["shape"][0].as_u64().expect("a vector has a length");
    let tensors = header.into_iter().filter(|(name, _)| name != "__metadata__");
    let mut header: Map<String, Value> =
        tensors.map(|(name, tensor)| (format!("bert.{name}"), tensor)).collect();
    let mut numbers = numbers.to_vec();
    for (name, shape) in [("classifier.weight", vec![1, hidden]), ("classifier.bias", vec![1])] {
        let begin = numbers.len();
        let count: u64 = shape.iter().product();
        numbers.extend(vec![0; 4 * usize::try_from(count).expect("it fits in memory")]);
        let place = [begin, numbers.len()];
        header.insert(name.into(), json!({"dtype": "F32", "shape": shape, "data_offsets": place}));
    }
    let header = Value::Object(header).to_string();
    let size = (header.len() as u64).to_le_bytes();
    [&size[..], header.as_bytes(), &numbers].concat()
}
