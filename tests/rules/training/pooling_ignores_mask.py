import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")


@torch.no_grad()
def embed(texts, size):
    for i in range(0, len(texts), size):
        enc = tokenizer(texts[i : i + size], padding=True, return_tensors="pt")
        yield model(**enc).last_hidden_state.mean(dim=1)  # expect: DP840


@torch.no_grad()
def fixed_length(text):
    enc = tokenizer(text, padding="max_length", max_length=128, return_tensors="pt")  # hint: DP199
    hidden = model(enc["input_ids"], attention_mask=enc["attention_mask"])[0]
    return torch.mean(hidden, dim=1)  # expect: DP840


class Encoder:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.model = AutoModel.from_pretrained("bert-base-uncased")

    @torch.no_grad()
    def encode(self, sentences):
        enc = self.tokenizer(list(sentences), padding=True, return_tensors="pt").to("cuda")
        output = self.model(**enc)  # expect: DP942
        hidden = output.last_hidden_state
        return hidden.mean(1)  # expect: DP840


@torch.no_grad()
def perhaps_one(text):
    enc = tokenizer(text, padding=True, return_tensors="pt")
    return model(**enc).last_hidden_state.mean(dim=1)  # hint: DP840


@torch.no_grad()
def one(text):
    enc = tokenizer([text], padding=True, return_tensors="pt")
    return model(**enc).last_hidden_state.mean(dim=1)


@torch.no_grad()
def without_padding(text):
    enc = tokenizer(text, return_tensors="pt")
    return model(**enc).last_hidden_state.mean(dim=1)


@torch.no_grad()
def weighted(texts):
    enc = tokenizer(texts[:8], padding=True, return_tensors="pt")
    hidden = model(**enc).last_hidden_state
    mask = enc["attention_mask"].unsqueeze(-1)
    return (hidden * mask).sum(1) / mask.sum(1)


@torch.no_grad()
def over_features(texts):
    enc = tokenizer(texts[:8], padding=True, return_tensors="pt")
    return model(**enc).last_hidden_state.mean(dim=-1)
