# A program that trains nothing: the embeddings go to callers, who can have no use for a graph.
import torch
from transformers import AutoModel, AutoTokenizer


class Encoder:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModel.from_pretrained(name).cuda()
        self.model.eval()

    def encode(self, texts):
        found = []
        for i in range(0, len(texts), 32):
            batch = self.tokenizer(texts[i : i + 32], padding=True, truncation=True, return_tensors="pt").to("cuda")
            found.append(self.model(**batch).last_hidden_state[:, 0].cpu())  # expect: DP232
        return torch.cat(found)

    @torch.no_grad()
    def encode_right(self, texts):
        found = []
        for i in range(0, len(texts), 32):
            batch = self.tokenizer(texts[i : i + 32], padding=True, truncation=True, return_tensors="pt").to("cuda")
            found.append(self.model(**batch).last_hidden_state[:, 0].cpu())
        return torch.cat(found)

    def encode_one(self, text):
        batch = self.tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
        return self.model(**batch).last_hidden_state[:, 0]
