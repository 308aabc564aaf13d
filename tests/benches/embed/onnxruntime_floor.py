"""The floor of embedding: ONNX Runtime with the weights of a BERT and the operators that it fuses for such models.

    onnxruntime_floor.py MODEL THREADS < WORDPIECES

MODEL is the folder of the model, and WORDPIECES a JSON list of the ids of each text. Prints a JSON object: `microseconds` for
all texts, `peak`, the memory in bytes, and `first`, the vector of the first text. Each thread reads one text at a time, so none is
padded. The time begins when the model is loaded and has read one text.
"""

import concurrent.futures
import json
import pathlib
import resource
import sys
import time

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FUSED = "com.microsoft"


def weights(path: pathlib.Path) -> dict[str, numpy.ndarray]:
    """Reads a file in the format of safetensors: the length of a header in JSON, the header, and the numbers."""
    file = path.read_bytes()
    start = 8 + int.from_bytes(file[:8], "little")
    tensors = json.loads(file[8:start])
    tensors.pop("__metadata__", None)
    return {
        name: numpy.frombuffer(
            file[start + tensor["data_offsets"][0] : start + tensor["data_offsets"][1]], numpy.float32
        ).reshape(tensor["shape"])
        for name, tensor in tensors.items()
        if tensor["dtype"] == "F32"
    }


def graph(config: dict, tensors: dict[str, numpy.ndarray]) -> bytes:
    """Returns a model from ids and types of wordpieces to the mean of their states."""
    nodes, initializers = [], []

    def tensor(name: str, value: numpy.ndarray) -> str:
        initializers.append(numpy_helper.from_array(numpy.ascontiguousarray(value), name))
        return name

    def stored(name: str) -> str:
        return tensor(name, tensors[name])

    def norm(name: str) -> list[str]:
        return [stored(f"{name}.LayerNorm.weight"), stored(f"{name}.LayerNorm.bias")]

    def node(operator: str, inputs: list[str], domain: str = FUSED, outputs: int = 1, **attributes: object) -> str:
        names = [f"{operator}{len(nodes)}.{output}" for output in range(outputs)]
        nodes.append(helper.make_node(operator, inputs, names, domain=domain, **attributes))
        return names[0]

    epsilon = config["layer_norm_eps"]
    tables = [stored(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")]
    states = node(
        "EmbedLayerNormalization", ["ids", "types", *tables, *norm("embeddings")], outputs=2, epsilon=epsilon
    )
    for layer in range(config["num_hidden_layers"]):
        name = f"encoder.layer.{layer}"
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        weight = tensor(f"{name}.qkv", numpy.concatenate([tensors[f"{part}.weight"].T for part in parts], axis=1))
        bias = tensor(f"{name}.qkv.bias", numpy.concatenate([tensors[f"{part}.bias"] for part in parts]))

        def multiply(part: str, states: str, name: str = name) -> str:
            matrix = tensor(f"{name}.{part}", tensors[f"{name}.{part}.dense.weight"].T)
            return node("MatMul", [states, matrix], domain="")

        def add(part: str, states: str, skipped: str, name: str = name) -> str:
            bias = stored(f"{name}.{part}.dense.bias")
            return node(
                "SkipLayerNormalization", [states, skipped, *norm(f"{name}.{part}"), bias], epsilon=epsilon
            )

        attended = node("Attention", [states, weight, bias], num_heads=config["num_attention_heads"])
        attended = add("attention.output", multiply("attention.output", attended), states)
        wide = multiply("intermediate", attended)
        wide = node("BiasGelu", [wide, stored(f"{name}.intermediate.dense.bias")])
        states = add("output", multiply("output", wide), attended)
    mean = node("ReduceMean", [states, tensor("axis", numpy.array([1]))], domain="", keepdims=0)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "wordpieces"]) for name in ("ids", "types")]
    output = helper.make_tensor_value_info(mean, TensorProto.FLOAT, ["texts", config["hidden_size"]])
    model = helper.make_model(
        helper.make_graph(nodes, "encoder", inputs, [output], initializers),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(FUSED, 1)],
        ir_version=10,
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()


def main() -> None:
    folder, threads = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    texts = [numpy.array([ids], numpy.int32) for ids in json.load(sys.stdin)]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    config = json.loads((folder / "config.json").read_text())
    session = onnxruntime.InferenceSession(
        graph(config, weights(folder / "model.safetensors")), options, ["CPUExecutionProvider"]
    )

    def embed(ids: numpy.ndarray) -> numpy.ndarray:
        mean = session.run(None, {"ids": ids, "types": numpy.zeros_like(ids)})[0][0]
        return mean / numpy.linalg.norm(mean)

    embed(texts[0])
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        begun = time.perf_counter()
        vectors = list(pool.map(embed, texts))
        spent = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    json.dump({"microseconds": round(spent * 1e6), "peak": peak, "first": vectors[0].tolist()}, sys.stdout)


if __name__ == "__main__":
    main()
