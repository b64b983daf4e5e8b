import functools
from functools import cache, lru_cache

import torch
import torch.nn.functional as F
from fastapi import FastAPI, Request
from transformers import AutoModel, AutoTokenizer

app = FastAPI()
tokenizer = AutoTokenizer.from_pretrained("intfloat/e5-base-v2")
model = AutoModel.from_pretrained("intfloat/e5-base-v2", torch_dtype=torch.bfloat16).to("cuda").eval()


class Ranker:
    def __init__(self, name, device):
        self.device = torch.device(device)
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16).to(self.device).eval()
        self.embed_query = lru_cache(maxsize=None)(self._embed_query)  # expect: DP528

    def forward_texts(self, texts, length):
        encoded = self.tokenizer(texts, padding=True, truncation=True, max_length=length, return_tensors="pt")
        encoded = encoded.to(self.device)
        return F.normalize(self.model(**encoded).last_hidden_state, dim=-1), encoded.attention_mask.bool()

    def _embed_query(self, query: str) -> torch.Tensor:
        hidden, _ = self.forward_texts([query], 512)
        return hidden[0]

    @torch.inference_mode()
    def score(self, query: str, passages: list[str]):
        documents, mask = self.forward_texts(passages, 256)
        return torch.einsum("qd,ntd->nqt", self.embed_query(query), documents).amax(dim=-1).sum(dim=-1)


@functools.cache  # expect: DP528
@torch.inference_mode()
def embed(text):
    encoded = tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
    return model(**encoded).last_hidden_state[:, 0]


@lru_cache(None)  # expect: DP528
@torch.no_grad()
def pooled(text: str):
    return model(**tokenizer(text, truncation=True, return_tensors="pt").to("cuda")).last_hidden_state.mean(dim=1)


@app.post("/rank")
def rank(request: Request, query: str, passages: list[str]):
    return request.app.state.ranker.score(query, passages).tolist() + embed(query).tolist() + pooled(query).tolist()


# ---- clean --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
@torch.inference_mode()
def limited(text: str):
    return model(**tokenizer(text, truncation=True, return_tensors="pt").to("cuda")).last_hidden_state[:, 0]


@lru_cache
@torch.inference_mode()
def limited_by_default(text: str):
    return model(**tokenizer(text, truncation=True, return_tensors="pt").to("cuda")).last_hidden_state[:, 0]


@cache
@torch.inference_mode()
def on_host(text: str):
    return model(**tokenizer(text, truncation=True, return_tensors="pt").to("cuda")).last_hidden_state[:, 0].cpu()


@cache
@torch.inference_mode()
def as_list(text: str):
    return model(**tokenizer(text, truncation=True, return_tensors="pt").to("cuda")).last_hidden_state[:, 0].tolist()


@cache
def causal_mask(size: int):
    return torch.ones(size, size, device="cuda").tril()


@cache
def load(name: str):
    return AutoModel.from_pretrained(name, torch_dtype=torch.bfloat16).to("cuda").eval()
