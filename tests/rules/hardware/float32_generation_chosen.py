import argparse

import torch
from transformers import AutoModelForCausalLM


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", default="float32")
    return parser.parse_args()


def named(args):
    return AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=getattr(torch, args.dtype), device_map="cuda")  # expect: DP515


def plain():
    return AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float32, device_map="cuda")  # expect: DP515


def main(ids, mask):
    a = named(options()).generate(ids, attention_mask=mask, max_new_tokens=50)
    return a, plain().generate(ids, attention_mask=mask, max_new_tokens=50)
