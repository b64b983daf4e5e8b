import asyncio

import torch
from fastapi import FastAPI
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

app = FastAPI()
tokenizer = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16).eval()
classify = pipeline("sentiment-analysis", device=0)


@app.post("/write")
async def write(prompt: str):
    enc = tokenizer(prompt, return_tensors="pt")
    with torch.inference_mode():
        out = model.generate(**enc, max_new_tokens=64)  # expect: DP197
    return tokenizer.decode(out[0])


@app.post("/rate")
async def rate(texts: list[str]):
    return classify(texts, batch_size=16)  # expect: DP197


def answer(prompt):
    enc = tokenizer(prompt, return_tensors="pt")
    with torch.inference_mode():
        return tokenizer.decode(model.generate(**enc, max_new_tokens=64)[0])


@app.post("/through")
async def through(prompt: str):
    return {"text": answer(prompt)}  # expect: DP197


@app.post("/thread")
async def thread(prompt: str):
    return {"text": await asyncio.to_thread(answer, prompt)}


@app.post("/plain")
def plain(prompt: str):
    return {"text": answer(prompt)}


async def helper(texts):
    return classify(texts)
