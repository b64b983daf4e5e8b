import asyncio
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI, Request
from transformers import AutoModelForCausalLM, AutoTokenizer


class Engine:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def complete(self, prompt):
        enc = self.tokenizer(prompt, return_tensors="pt")
        return self.tokenizer.decode(self.model.generate(**enc, max_new_tokens=64)[0])


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.engine = await asyncio.to_thread(Engine, "gpt2")
    app.state.lock = asyncio.Lock()
    yield
    app.state.engine = None


app = FastAPI(lifespan=lifespan)


async def run(state, prompt):
    async with state.lock:
        return state.engine.complete(prompt)  # expect: DP197


@app.post("/chat")
async def chat(prompt: str, request: Request):
    return await run(request.app.state, prompt)


@app.post("/own")
async def own(prompt: str, request: Request):
    engine = request.app.state.engine
    return engine.complete(prompt)  # expect: DP197


@app.post("/thread")
async def in_thread(prompt: str, request: Request):
    return await asyncio.to_thread(request.app.state.engine.complete, prompt)


@app.post("/plain")
def plain(prompt: str, request: Request):
    return request.app.state.engine.complete(prompt)
