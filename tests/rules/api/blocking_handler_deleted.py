from contextlib import asynccontextmanager

import torch
from aiohttp import web
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from transformers import AutoModelForCausalLM, AutoTokenizer


class Generator:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="cuda")

    @torch.inference_mode()
    def complete(self, prompt):
        inputs = self.tokenizer(prompt, return_tensors="pt").to(self.model.device)
        return self.tokenizer.decode(self.model.generate(**inputs, max_new_tokens=64)[0])

    async def handle(self, request):
        data = await request.json()
        return web.json_response(self.complete(data["prompt"]))  # expect: DP197


@asynccontextmanager
async def lifespan(app):
    app.state.generator = Generator("gpt2")
    yield
    del app.state.generator


app = FastAPI(lifespan=lifespan)


@app.post("/complete")
async def complete(prompt: str, request: Request):
    generator = request.app.state.generator
    return generator.complete(prompt)  # expect: DP197


@app.post("/in_thread")
async def in_thread(prompt: str, request: Request):
    return await run_in_threadpool(request.app.state.generator.complete, prompt)


def serve():
    server = web.Application()
    server.router.add_post("/complete", Generator("gpt2").handle)
    web.run_app(server)
