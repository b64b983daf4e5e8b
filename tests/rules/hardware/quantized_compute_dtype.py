import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

OPTIONS = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
SLOW = {"load_in_4bit": True, "bnb_4bit_compute_dtype": torch.float32}  # expect: DP540
FAST = {"load_in_4bit": True, "bnb_4bit_compute_dtype": torch.bfloat16}


def load(name):
    return AutoModelForCausalLM.from_pretrained(name, quantization_config=BitsAndBytesConfig(**OPTIONS))  # expect: DP540


def configs(dtype, **options):
    return [
        BitsAndBytesConfig(**SLOW),
        BitsAndBytesConfig(**FAST),
        BitsAndBytesConfig(load_in_4bit=True),  # expect: DP540
        BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=dtype),
        BitsAndBytesConfig(load_in_4bit=True, **options),
        BitsAndBytesConfig(load_in_8bit=True),
    ]
