# What a request loads depends on settings of the process: it is the same each time.
import os
from functools import lru_cache

from fastapi import Depends, FastAPI
from transformers import AutoModelForSeq2SeqLM

app = FastAPI()


@lru_cache(maxsize=1)
def settings():
    return {"name": os.getenv("MODEL", "t5-small")}


def model_name():
    name = os.getenv("MODEL", "t5-small")
    return name if name else "t5-small"


class Summarizer:
    def __init__(self, name):
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name).eval()

    def __call__(self, ids):
        return self.model.generate(ids)


class Translator:
    def __init__(self, name):
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name).eval()

    def __call__(self, ids):
        return self.model.generate(ids)


def by_cached_settings():
    return Summarizer(settings()["name"])  # expect: DP205


def by_environment():
    return Translator(model_name())  # expect: DP205


@lru_cache(maxsize=1)
def kept():
    return Summarizer(settings()["name"])


@app.post("/a")
def a(ids: list, summarizer: Summarizer = Depends(by_cached_settings)):
    return summarizer(ids)


@app.post("/b")
def b(ids: list, translator: Translator = Depends(by_environment)):
    return translator(ids)


@app.post("/c")
def c(ids: list, summarizer: Summarizer = Depends(kept)):
    return summarizer(ids)
