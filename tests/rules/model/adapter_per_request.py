import asyncio

import torch
from diffusers import StableDiffusionPipeline
from fastapi import FastAPI
from peft import PeftModel
from transformers import AutoModelForCausalLM

app = FastAPI()
base = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16)
painter = StableDiffusionPipeline.from_pretrained("sd", torch_dtype=torch.float16).to("cuda")
merged = PeftModel.from_pretrained(base, "adapters/default").merge_and_unload()
known = {}


@app.post("/{tenant}")
def loaded(tenant: str):
    model = PeftModel.from_pretrained(base, f"adapters/{tenant}")  # expect: DP270
    return model.config.name_or_path


def answer(tenant):
    model = PeftModel.from_pretrained(base, f"adapters/{tenant}").merge_and_unload()  # expect: DP270
    return model.config.name_or_path


@app.post("/thread/{tenant}")
async def threaded(tenant: str):
    return await asyncio.to_thread(answer, tenant)


@app.post("/paint/{style}")
def paint(style: str, prompt: str):
    painter.load_lora_weights(f"styles/{style}")  # expect: DP270
    return painter(prompt).images[0]


@app.post("/first/{tenant}")
def first_time(tenant: str):
    if tenant not in known:
        known[tenant] = PeftModel.from_pretrained(base, f"adapters/{tenant}")
    return known[tenant].config.name_or_path


def export(tenant):
    return PeftModel.from_pretrained(base, tenant).merge_and_unload()
