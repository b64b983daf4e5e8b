import torch
from transformers import AutoModelForCausalLM

device = "cuda" if torch.cuda.is_available() else "cpu"
slow = AutoModelForCausalLM.from_pretrained("gpt2", device_map="cpu")


def answer(ids):
    return slow.generate(ids, max_new_tokens=50)
