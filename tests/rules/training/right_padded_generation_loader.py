# The texts are encoded by the loader's collator, and generated from in another function.
import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer


def load(name):
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokenizer.pad_token = tokenizer.eos_token
    return tokenizer, AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="cuda")


def collate_with(tokenizer):
    def collate(rows):
        return tokenizer([row["question"] for row in rows], return_tensors="pt", padding=True)  # expect: DP839  # hint: DP149

    return collate


@torch.inference_mode()
def solve(model, tokenizer, loader):
    answers = []
    for batch in loader:
        out = model.generate(**batch.to(model.device), max_new_tokens=64)
        answers += tokenizer.batch_decode(out, skip_special_tokens=True)
    return answers


def main(data):
    tokenizer, model = load("microsoft/phi-2")
    loader = DataLoader(data, batch_size=32, collate_fn=collate_with(tokenizer), num_workers=2, pin_memory=True)
    return solve(model, tokenizer, loader)
