import pandas as pd
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.bfloat16, device_map="cuda").eval()


@torch.inference_mode()
def reply(prompt):
    enc = tokenizer(prompt, return_tensors="pt").to("cuda")
    out = model.generate(**enc, max_new_tokens=200)  # expect: DP152
    return tokenizer.decode(out[0], skip_special_tokens=True)


def all_replies(prompts):
    return [reply(prompt) for prompt in prompts]


@torch.inference_mode()
def in_comprehension(lines):
    return [
        tokenizer.decode(model.generate(**tokenizer(line, return_tensors="pt"), max_new_tokens=50)[0])  # expect: DP152 # hint: DP141
        for line in lines
    ]


@torch.inference_mode()
def summary(text):
    enc = tokenizer(text, return_tensors="pt", truncation=True)
    return tokenizer.decode(model.generate(**enc, max_new_tokens=50)[0])  # expect: DP152


def table():
    df = pd.read_csv("texts.csv")
    df["summary"] = df["text"].apply(summary)
    return df


@torch.inference_mode()
def samples(prompt, n=64):
    enc = tokenizer(prompt, return_tensors="pt").to("cuda")
    found = []
    for _ in range(n):
        out = model.generate(**enc, do_sample=True, max_new_tokens=64)  # expect: DP152
        found.append(tokenizer.decode(out[0]))
    return found


@torch.inference_mode()
def replies(chunk):
    enc = tokenizer(chunk, return_tensors="pt", padding=True).to("cuda")  # expect: DP447
    return tokenizer.batch_decode(model.generate(**enc, max_new_tokens=200))


def in_batches(prompts):
    found = []
    for i in range(0, len(prompts), 32):
        found += replies(prompts[i : i + 32])
    return found
