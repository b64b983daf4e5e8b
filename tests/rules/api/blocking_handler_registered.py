import torch
from aiohttp import web
from transformers import pipeline

write = pipeline("text-generation", model="gpt2", device=0)


async def answer(request):
    data = await request.json()
    return web.json_response(write(data["prompt"], max_new_tokens=50))  # expect: DP197


async def helper(data):
    return write(data["prompt"], max_new_tokens=50)


app = web.Application()
app.router.add_post("/answer", answer)
torch.set_num_threads(4)
