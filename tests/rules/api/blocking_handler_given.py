# The model comes from a dependency, or from a dictionary that is filled at the start.
from contextlib import asynccontextmanager
from functools import lru_cache

from fastapi import Depends, FastAPI
from transformers import pipeline

models = {}


@asynccontextmanager
async def lifespan(app):
    models["classify"] = pipeline("sentiment-analysis", device=0)
    yield


app = FastAPI(lifespan=lifespan)


@lru_cache
def get_writer():
    return pipeline("text-generation", model="gpt2", device=0)


@app.post("/write")
async def write(prompt: str, writer=Depends(get_writer)):
    return writer(prompt, max_new_tokens=20)  # expect: DP197


@app.post("/rate")
async def rate(text: str):
    return models["classify"](text)  # expect: DP197


@app.post("/rate/plain")
def rate_plainly(text: str):
    return models["classify"](text)
