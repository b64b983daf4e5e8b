import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype="bfloat16")


def load(bits):
    a = AutoModelForCausalLM.from_pretrained("gpt2", load_in_4bit=True, quantization_config=config)  # expect: DP303, DP888
    b = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=config, load_in_8bit=bits == 8)  # expect: DP303, DP888
    c = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=config, load_in_8bit=False)
    d = AutoModelForCausalLM.from_pretrained("gpt2", load_in_8bit=True)
    e = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=None, load_in_8bit=True)
    return a, b, c, d, e, torch.float16
