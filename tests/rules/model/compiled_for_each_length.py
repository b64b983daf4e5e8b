import torch
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("roberta-base")
fixed = torch.compile(AutoModel.from_pretrained("roberta-base").eval(), dynamic=False)
free = torch.compile(AutoModel.from_pretrained("roberta-base").eval())
plain = AutoModel.from_pretrained("roberta-base").eval()


@torch.inference_mode()
def embed(text):
    return fixed(**tokenizer(text, return_tensors="pt")).last_hidden_state[:, 0]  # expect: DP285


@torch.inference_mode()
def embed_named(text):
    encoded = tokenizer([text], padding=True, truncation=True, max_length=512, return_tensors="pt").to("cuda")
    return fixed(**encoded).last_hidden_state[:, 0]  # expect: DP285


def encode(tok, text):
    return tok(text, padding=True, truncation=True, max_length=512, return_tensors="pt")


class Scorer:
    def __init__(self, path):
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        net = AutoModelForSequenceClassification.from_pretrained(path).eval()
        self.net = torch.compile(net, dynamic=False)

    @torch.inference_mode()
    def score(self, text):
        inputs = encode(self.tokenizer, text).to("cuda")
        return self.net(**inputs).logits  # expect: DP285

    @torch.inference_mode()
    def score_padded(self, text):
        inputs = self.tokenizer(text, padding=True, truncation=True, pad_to_multiple_of=128, return_tensors="pt")
        return self.net(**inputs).logits


# Right: a few lengths, one length, or shapes that may change.


@torch.inference_mode()
def embed_full(text):
    encoded = tokenizer(text, padding="max_length", truncation=True, max_length=128, return_tensors="pt")
    return fixed(**encoded).last_hidden_state[:, 0]


@torch.inference_mode()
def embed_padded(text):
    encoded = tokenizer(text, padding=True, pad_to_multiple_of=64, return_tensors="pt")
    return fixed(**encoded).last_hidden_state[:, 0]


@torch.inference_mode()
def embed_free(text):
    return free(**tokenizer(text, return_tensors="pt")).last_hidden_state[:, 0]


@torch.inference_mode()
def embed_plain(text):
    return plain(**tokenizer(text, return_tensors="pt")).last_hidden_state[:, 0]


@torch.inference_mode()
def warm_up():
    return fixed(**tokenizer("warm up", return_tensors="pt")).last_hidden_state[:, 0]


@torch.inference_mode()
def embed_ids(ids):
    return fixed(input_ids=ids).last_hidden_state[:, 0]
