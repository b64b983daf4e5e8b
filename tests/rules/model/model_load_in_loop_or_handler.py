import functools

import torch
from fastapi import APIRouter, FastAPI
from flask import Flask
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer, pipeline

app = FastAPI()
router = APIRouter()
flask_app = Flask(__name__)
rating = pipeline("sentiment-analysis")


@app.post("/rate")
def rate(text: str):
    own = pipeline("sentiment-analysis")  # expect: DP205
    return own(text)


@router.get("/embed")
async def embed(text: str):
    model = SentenceTransformer("all-MiniLM-L6-v2")  # expect: DP205
    return model.encode(text)  # expect: DP197


def load_both():
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")  # expect: DP205
    model = AutoModel.from_pretrained("bert-base-uncased")  # expect: DP205
    return tokenizer, model


@flask_app.route("/words", methods=["POST"])
def words():
    tokenizer, model = load_both()
    return tokenizer.tokenize("text")


@app.post("/rate_once")
def rate_once(text: str):
    return rating(text)


@functools.lru_cache
def kept():
    return AutoModel.from_pretrained("bert-base-uncased")


@app.get("/kept")
def use_kept():
    return kept().config


loaded = None


@app.get("/lazy")
def lazy():
    global loaded
    if loaded is None:
        loaded = AutoModel.from_pretrained("bert-base-uncased")
    return loaded.config


def main():
    return torch.load("weights.pt", weights_only=True)
