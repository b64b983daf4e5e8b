import asyncio

import httpx
import torch
from fastapi import FastAPI
from torch import nn

CHECKS = 15
ROWS = 256
WIDTH = 512

torch.manual_seed(0)
model = nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(8)]).eval()
app = FastAPI()


@app.post("/score")
async def score(seed: int):
    rows = torch.full((ROWS, WIDTH), seed / 100)
    with torch.no_grad():
        return model(rows).mean().item()


@app.get("/health")
async def health():
    return "ok"


async def ask_for_scores(client):
    seed = 0
    while True:
        await client.post(f"/score?seed={seed}")
        seed += 1
        await asyncio.sleep(0)


async def main():
    async with httpx.AsyncClient(app=app, base_url="http://server") as client:
        scores = asyncio.create_task(ask_for_scores(client))
        answers = []
        for _ in range(CHECKS):
            await asyncio.sleep(0.005)
            answers.append((await client.get("/health")).json())
        scores.cancel()
        return answers


result = asyncio.run(main())
