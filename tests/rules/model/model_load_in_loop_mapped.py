# Functions that something runs for every element or batch, and loops that only ask what they load.
from pathlib import Path

import torch
from datasets import load_dataset
from diffusers import StableDiffusionPipeline
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline


def tokenize(batch):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")  # expect: DP205
    return tokenizer(batch["text"], truncation=True)


data = load_dataset("imdb", split="train")
encoded = data.map(tokenize, batched=True)


def collate(rows):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")  # expect: DP205
    return tokenizer([row["text"] for row in rows], padding=True, truncation=True, return_tensors="pt")  # hint: DP149


loader = DataLoader(data, batch_size=8, collate_fn=collate, num_workers=2)


def pictures(prompts):
    for number, prompt in enumerate(prompts):
        pipe = StableDiffusionPipeline.from_pretrained("a", torch_dtype=torch.float16)  # expect: DP205
        pipe.to("cuda")
        pipe(prompt).images[0].save(f"{number}.png")  # hint: DP141


def chat():
    while True:
        text = input()
        if text == "quit":
            break
        classify = pipeline("sentiment-analysis")  # expect: DP205
        print(classify(text))


def rate(paths):
    scores = []
    for path in paths:
        model = AutoModelForSequenceClassification.from_pretrained("b")  # expect: DP205
        try:
            scores.append(model(torch.load(path)).logits.argmax())  # hint: DP232
        except ValueError:
            continue
    return scores


def load_patiently():
    for attempt in range(5):
        try:
            model = pipeline("sentiment-analysis")
            break
        except OSError:
            continue
    return model


def several_runs(seeds, train):
    for seed in seeds:
        model = AutoModelForSequenceClassification.from_pretrained("b")  # hint: DP205
        train(model, seed).backward()


def refined(steps):
    for step in steps:
        tokenizer = AutoTokenizer.from_pretrained("out")
        tokenizer.add_tokens([step])  # hint: DP904
        tokenizer.save_pretrained("out")
