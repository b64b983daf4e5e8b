"""Coroutines that handlers wait for, and that run the model on the event loop."""

import asyncio

import torch
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, pipeline

app = FastAPI()
rate = pipeline("sentiment-analysis", device=0)


class Writer:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("t5-small")
        self.model = AutoModelForSeq2SeqLM.from_pretrained("t5-small").eval()
        self.gate = asyncio.Semaphore(1)

    @torch.inference_mode()
    def _write(self, text):
        ids = self.tokenizer(text, return_tensors="pt").input_ids
        return self.tokenizer.decode(self.model.generate(ids, max_new_tokens=60)[0])

    async def write(self, text):
        async with self.gate:
            return self._write(text)  # expect: DP197

    async def write_apart(self, text):
        async with self.gate:
            return await run_in_threadpool(self._write, text)

    async def write_later(self, text):
        return self._write(text)


class Scorer:
    def __init__(self):
        self.net = torch.nn.Linear(8, 2)

    async def score(self, x):
        return self.net(x)  # expect: DP197


async def rated(texts):
    return rate(texts, batch_size=8)  # expect: DP197


async def rated_twice(texts):
    return await rated(texts)


async def rated_apart(texts):
    return await asyncio.to_thread(rate, texts)


async def rated_by_command(texts):
    return rate(texts, batch_size=8)


@app.on_event("startup")
async def start():
    app.state.writer = Writer()
    app.state.scorer = Scorer()
    app.state.mixed = Writer()


def replace(other):
    app.state.mixed = other


@app.post("/write")
async def write(request: Request, text: str):
    return await request.app.state.writer.write(text)


@app.post("/apart")
async def apart(request: Request, text: str):
    return await request.app.state.writer.write_apart(text)


@app.post("/mixed")
async def mixed(request: Request, text: str):
    return await request.app.state.mixed.write_later(text)


@app.post("/score")
async def score(request: Request, x: list):
    return await request.app.state.scorer.score(torch.tensor(x))


@app.post("/rate")
async def rate_texts(texts: list):
    return await rated_twice(texts)


@app.post("/rate_apart")
async def rate_texts_apart(texts: list):
    return await rated_apart(texts)


if __name__ == "__main__":
    print(asyncio.run(rated_by_command(["good", "bad"])))
