from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Judge:
    def __init__(self, name="bert-base-uncased"):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSequenceClassification.from_pretrained(name, torch_dtype="auto").eval()

    @torch.inference_mode()
    def rate(self, texts: list[str]):
        inputs = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        return self.model(**inputs).logits.softmax(-1).tolist()

    def size(self):
        return len(self.tokenizer)


class Counter:
    def rate(self, texts):
        return len(texts)


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.judge = Judge()
    app.state.counter = Counter()
    yield


app = FastAPI(lifespan=lifespan)


@app.post("/rate")
async def rate(texts: list[str], request: Request):
    return request.app.state.judge.rate(texts)  # expect: DP197


@app.post("/local")
async def local(texts: list[str], request: Request):
    judge = request.app.state.judge
    return judge.rate(texts)  # expect: DP197


@app.post("/pool")
async def pool(texts: list[str], request: Request):
    return await run_in_threadpool(request.app.state.judge.rate, texts)


@app.post("/wrapped")
async def wrapped(texts: list[str], request: Request):
    return await run_in_threadpool(lambda: request.app.state.judge.rate(texts))


@app.post("/plain")
def plain(texts: list[str], request: Request):
    return request.app.state.judge.rate(texts)


@app.get("/size")
async def size(request: Request):
    return request.app.state.judge.size()


@app.get("/count")
async def count(texts: list[str], request: Request):
    return request.app.state.counter.rate(texts)
