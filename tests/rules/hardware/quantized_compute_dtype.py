import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

NAME = "mistralai/Mistral-7B-v0.1"
OPTIONS = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
SLOW = {"load_in_4bit": True, "bnb_4bit_compute_dtype": torch.float32}  # expect: DP540
FAST = {"load_in_4bit": True, "bnb_4bit_compute_dtype": torch.bfloat16}


def load():
    return AutoModelForCausalLM.from_pretrained(NAME, quantization_config=BitsAndBytesConfig(**OPTIONS))  # expect: DP540


def load_with(dtype, **options):
    plain = BitsAndBytesConfig(load_in_4bit=True)  # expect: DP540
    return [
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=BitsAndBytesConfig(**SLOW)),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=BitsAndBytesConfig(**FAST)),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=plain, torch_dtype=torch.float16),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=BitsAndBytesConfig(load_in_8bit=True)),
    ]


def load_bfloat16(dtype, **options):
    plain = BitsAndBytesConfig(load_in_4bit=True)
    chosen = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=dtype)
    hidden = BitsAndBytesConfig(load_in_4bit=True, **options)
    return [
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=plain, torch_dtype=torch.bfloat16),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=plain, torch_dtype="auto"),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=chosen),
        AutoModelForCausalLM.from_pretrained(NAME, quantization_config=hidden),
    ]
