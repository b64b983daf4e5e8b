import torch
from torch import nn
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
encoder = AutoModel.from_pretrained("bert-base-uncased").eval()
writer = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16).eval()
writing = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
writing.pad_token = writing.eos_token


@torch.no_grad()
def embeds(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return encoder(enc["input_ids"]).last_hidden_state[:, 0]  # expect: DP901


@torch.no_grad()
def embeds_parts(texts):
    ids = tokenizer(texts, padding="longest", return_tensors="pt").input_ids
    return encoder(input_ids=ids.to("cuda")).last_hidden_state[:, 0]  # expect: DP901


@torch.no_grad()
def full_length(text):
    enc = tokenizer.batch_encode_plus(text, padding="max_length", max_length=128, truncation=True, return_tensors="pt")
    return encoder(enc.input_ids).pooler_output  # expect: DP901


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")

    def classify(self, rows):
        batch = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
        with torch.no_grad():
            return self.body(batch["input_ids"]).logits  # expect: DP901


def writes(prompts):
    ids = writing(prompts, padding=True, return_tensors="pt").input_ids
    return writer.generate(ids, max_new_tokens=20)  # expect: DP901


# ---- silent


@torch.no_grad()
def whole(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return encoder(**enc).last_hidden_state[:, 0]


@torch.no_grad()
def with_mask(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return encoder(enc["input_ids"], attention_mask=enc["attention_mask"]).last_hidden_state[:, 0]


@torch.no_grad()
def by_position(texts):
    enc = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return encoder(enc["input_ids"], enc["attention_mask"]).last_hidden_state[:, 0]


@torch.no_grad()
def one_text():
    enc = tokenizer("a single text", padding=True, return_tensors="pt")
    return encoder(enc["input_ids"]).last_hidden_state[:, 0]


@torch.no_grad()
def not_padded(text):
    enc = tokenizer(text, return_tensors="pt")
    return encoder(enc["input_ids"]).last_hidden_state[:, 0]
