# What a helper loads and returns, in functions that run for every item or request and drop it.
import functools
from pathlib import Path

import torch
from diffusers import StableDiffusionXLPipeline
from flask import Flask
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

app = Flask(__name__)
NAME = "facebook/bart-large-cnn"


def load():
    tokenizer = AutoTokenizer.from_pretrained(NAME)  # expect: DP205
    model = AutoModelForSeq2SeqLM.from_pretrained(NAME, torch_dtype=torch.float16)  # expect: DP205
    model.to("cuda")
    return tokenizer, model


def summarize(text):
    tokenizer, model = load()
    return tokenizer.batch_decode(model.generate(**tokenizer(text, return_tensors="pt")))[0]


@app.route("/summary", methods=["POST"])
def summary():
    return summarize("text")


@functools.lru_cache(maxsize=1)
def load_once():
    return AutoTokenizer.from_pretrained(NAME)


def count(text):
    return len(load_once()(text)["input_ids"])


@app.route("/count")
def counted():
    return str(count("text"))


def make_pipe():
    pipe = StableDiffusionXLPipeline.from_pretrained("sdxl", torch_dtype=torch.float16)  # expect: DP205
    return pipe.to("cuda")


def render(prompt):
    pipe = make_pipe()
    return pipe(prompt).images[0]  # hint: DP141


def render_missing(prompts):
    for name, prompt in prompts:
        target = Path(f"{name}.png")
        if target.exists():
            continue
        render(prompt).save(target)


def make_kept():
    return StableDiffusionXLPipeline.from_pretrained("sdxl", torch_dtype=torch.float16)


class Renderer:
    def __init__(self):
        self.pipe = make_kept()


def renderers(names):
    return [Renderer() for name in names]

