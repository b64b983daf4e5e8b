from typing import List

import torch
from transformers import AutoModel, AutoTokenizer


class Retriever:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModel.from_pretrained(name).eval()

    def encode(self, texts: List[str]):
        return self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")

    def encode_one(self, text: str):
        return self.tokenizer([text], padding=True, truncation=True, return_tensors="pt")

    @torch.inference_mode()
    def vectors(self, texts: List[str]):
        enc = self.encode(texts)
        hidden = self.model(**enc).last_hidden_state
        return hidden.mean(dim=1)  # expect: DP840

    @torch.inference_mode()
    def vector(self, text: str):
        enc = self.encode_one(text)
        return self.model(**enc).last_hidden_state.mean(dim=1)

    @torch.inference_mode()
    def weighted(self, texts: List[str]):
        enc = self.encode(texts)
        hidden = self.model(**enc).last_hidden_state
        mask = enc["attention_mask"].unsqueeze(-1)
        return (hidden * mask).sum(dim=1) / mask.sum(dim=1)
