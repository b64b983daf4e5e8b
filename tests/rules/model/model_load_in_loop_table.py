"""A server that reads one of a few checkpoints again for every request."""

import gc

import torch
from fastapi import FastAPI, Request
from transformers import AutoModel, AutoModelForSequenceClassification, AutoTokenizer

app = FastAPI()

PATHS = {"spam": "/models/spam", "topic": "/models/topic"}
SETTINGS = {
    "spam": {"path": "/models/spam", "length": 128},
    "topic": {"path": "/models/topic", "length": 256},
}
LOADED = {}
GROWING = {"spam": "/models/spam"}


def load(task):
    path = PATHS[task]
    tokenizer = AutoTokenizer.from_pretrained(path)  # expect: DP205
    model = AutoModelForSequenceClassification.from_pretrained(path).eval()  # expect: DP205
    return tokenizer, model


@app.post("/classify")
def classify(task: str, text: str):
    tokenizer, model = load(task)
    with torch.inference_mode():
        return model(**tokenizer(text, return_tensors="pt")).logits.argmax(-1).item()


@app.post("/nested")
def nested(task: str, text: str):
    model = AutoModel.from_pretrained(SETTINGS[task]["path"])  # expect: DP205
    return score(model, text)


@app.post("/get")
def by_get(task: str, text: str):
    model = AutoModel.from_pretrained(PATHS.get(task))  # expect: DP205
    return score(model, text)


def load_path(path):
    return AutoModel.from_pretrained(path)  # expect: DP205


@app.post("/passed")
def passed(task: str, text: str):
    return score(load_path(PATHS[task]), text)


def score(model, text):
    return model(text)


# Right: loaded once, kept, swapped because they do not fit, or not a fixed set.


def load_kept(task):
    return AutoModel.from_pretrained(PATHS[task])


KEPT = {task: load_kept(task) for task in PATHS}


@app.post("/kept")
def kept(task: str, text: str):
    return score(KEPT[task], text)


def load_lazily(task):
    if task not in LOADED:
        LOADED[task] = AutoModel.from_pretrained(PATHS[task])
    return LOADED[task]


@app.post("/lazy")
def lazy(task: str, text: str):
    return score(load_lazily(task), text)


@app.post("/swapped")
def swapped(task: str, text: str):
    gc.collect()
    model = AutoModel.from_pretrained(PATHS[task])
    return score(model, text)


@app.post("/any")
async def any_path(request: Request):
    body = await request.json()
    model = AutoModel.from_pretrained(body["path"])
    return str(model)


def preload():
    return [AutoModel.from_pretrained(PATHS[task]) for task in PATHS]
