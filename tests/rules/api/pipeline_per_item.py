from time import perf_counter

import torch
from datasets import load_dataset
from diffusers import StableDiffusionPipeline
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, pipeline

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")


def fires(texts, rows):
    rating = pipeline("sentiment-analysis", device=0)
    a = [rating(text) for text in texts]  # expect: DP141
    for row in load_dataset("imdb", split="test"):
        a.append(rating(row["text"], top_k=2))  # expect: DP141
    for i, text in enumerate(texts):
        a.append(tokenizer(text))  # hint: DP141
    b = [tokenizer.encode(row.text) for row in rows]  # hint: DP141
    return a, b


def silent(texts, batches, images):
    rating = pipeline("sentiment-analysis", device=0)
    a = rating(texts, batch_size=8)
    for i in range(0, len(texts), 8):
        a += rating(texts[i : i + 8])
    starts = range(0, len(texts), 8)
    for start in starts:
        a += rating(texts[start : start + 8])
    for batch in batches:
        a += rating(batch)
    for texts_batch in batches:
        a += tokenizer(texts_batch)
    for x in DataLoader(texts, num_workers=0):
        a += tokenizer(x)
    for text in ("one", "two"):
        a += rating(text)
    while True:
        a += rating(input())
        break
    for image in images:
        a += rating("the same text")
        a += rating([image, image])
    return a + tokenizer("a")


def pictures(prompts):
    painter = StableDiffusionPipeline.from_pretrained("stable-diffusion", torch_dtype=torch.float16).to("cuda")
    return [painter(prompt).images[0] for prompt in prompts]  # hint: DP141


rating_of = pipeline("sentiment-analysis", device=0)


def rate(text):
    return rating_of(text)[0]["label"]  # expect: DP141


def rate_all(texts):
    return {text: rate(text) for text in texts}


def rate_many(texts_):
    return rating_of(texts_, batch_size=16)


def rate_in_parts(texts):
    return [rate_many(texts[i : i + 16]) for i in range(0, len(texts), 16)]


def rate_input(text):
    return rating_of(text)


def ask():
    while True:
        print(rate_input(input()))


def latencies(dataset):
    classify = pipeline("text-classification")
    taken = []
    for row in dataset:
        start = perf_counter()
        classify(row["text"])
        taken.append(perf_counter() - start)
    return taken
