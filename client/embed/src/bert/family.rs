//! The architectures that share the layers of BERT, and how they differ.

/// An architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Devlin et al. 2018, arXiv:1810.04805.
    Bert,
    /// Liu et al. 2019, arXiv:1907.11692; also XLM-RoBERTa and `CamemBERT`, which have other vocabularies.
    Roberta,
    /// Song et al. 2020, arXiv:2004.09297: attention also depends on the distance of two wordpieces.
    Mpnet,
    /// Sanh et al. 2019, arXiv:1910.01108: no types of tokens, and other names of tensors.
    DistilBert,
    /// Clark et al. 2020, arXiv:2003.10555: embeddings may be smaller than states.
    Electra,
}

/// The names of the tensors of a layer, below its number.
pub(super) struct TensorNames {
    /// The list of the layers.
    pub(super) layers: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) attention_norm: &'static str,
    pub(super) intermediate: &'static str,
    pub(super) output: &'static str,
    pub(super) output_norm: &'static str,
}

const BERT: TensorNames = TensorNames {
    layers: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    intermediate: "intermediate.dense",
    output: "output.dense",
    output_norm: "output.LayerNorm",
};

const MPNET: TensorNames = TensorNames {
    query: "attention.attn.q",
    key: "attention.attn.k",
    value: "attention.attn.v",
    attention_output: "attention.attn.o",
    attention_norm: "attention.LayerNorm",
    ..BERT
};

const DISTILBERT: TensorNames = TensorNames {
    layers: "transformer.layer",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    intermediate: "ffn.lin1",
    output: "ffn.lin2",
    output_norm: "output_layer_norm",
};

impl Family {
    /// Returns the family of a `model_type` in `config.json`; `None` if its layers differ from those of BERT.
    pub(super) fn named(model_type: &str) -> Option<Self> {
        Some(match model_type {
            "bert" => Self::Bert,
            "roberta" | "xlm-roberta" | "camembert" => Self::Roberta,
            "mpnet" => Self::Mpnet,
            "distilbert" => Self::DistilBert,
            "electra" => Self::Electra,
            _ => return None,
        })
    }

    /// Returns the beginning of the names of tensors in a file that also has a head.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::Roberta => "roberta",
            Self::Mpnet => "mpnet",
            Self::DistilBert => "distilbert",
            Self::Electra => "electra",
        }
    }

    pub(super) fn tensor_names(self) -> &'static TensorNames {
        match self {
            Self::Bert | Self::Roberta | Self::Electra => &BERT,
            Self::Mpnet => &MPNET,
            Self::DistilBert => &DISTILBERT,
        }
    }

    /// Returns the id of the padding if positions begin behind it: the first wordpiece then has the position `padding + 1`, so
    /// a table of 514 rows is for 512 wordpieces.
    pub(super) fn padding_offset(self, pad_token_id: Option<u32>) -> Option<u32> {
        match self {
            Self::Roberta => Some(pad_token_id.unwrap_or(1)),
            // It is a constant of the model, whatever the configuration says.
            Self::Mpnet => Some(1),
            Self::Bert | Self::DistilBert | Self::Electra => None,
        }
    }

    /// Returns whether tokens have types, such as the first and the second text of a pair.
    pub(super) fn has_token_types(self) -> bool {
        matches!(self, Self::Bert | Self::Roberta | Self::Electra)
    }
}
