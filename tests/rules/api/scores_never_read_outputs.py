import torch
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification

OPTIONS = {"attn_implementation": "eager", "output_attentions": True}  # expect: DP191


def load():
    return AutoModel.from_pretrained("bert-base-uncased", **OPTIONS).cuda().eval()


@torch.inference_mode()
def embed(loader):
    model = load()
    rows = []
    for batch in loader:
        output = model(**batch)
        rows.append(output.last_hidden_state[:, 0])
    return torch.cat(rows)


class Encoder:
    def __init__(self, name):
        self.model = AutoModel.from_pretrained(name).eval()

    @torch.no_grad()
    def __call__(self, encoded):
        return self.model(**encoded, output_hidden_states=True).pooler_output  # expect: DP191


def configured(name, batch):
    config = AutoConfig.from_pretrained(name, num_labels=3, output_attentions=True)  # expect: DP191
    model = AutoModelForSequenceClassification.from_pretrained(name, config=config)
    return model(**batch).loss


def stored(name, batch):
    model = AutoModel.from_pretrained(name)
    model.config.output_hidden_states = True  # expect: DP191
    return model(**batch).last_hidden_state


def handed_on(name, batch):
    model = AutoModel.from_pretrained(name, output_attentions=True)
    return model(**batch)


def by_place(name, batch):
    model = AutoModel.from_pretrained(name, output_hidden_states=True)
    outputs = model(**batch)
    return outputs[2][-2]


def asked(name, batch, attentions):
    model = AutoModel.from_pretrained(name)
    return model(**batch, output_attentions=attentions).last_hidden_state
