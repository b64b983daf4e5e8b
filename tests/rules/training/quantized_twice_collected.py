# Options that are collected in a dict first.
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig


def load(name, bits):
    options = {}
    if bits in (4, 8):
        options.update(
            dict(
                device_map="auto",
                load_in_4bit=bits == 4,  # expect: DP888
                quantization_config=BitsAndBytesConfig(load_in_4bit=bits == 4),
            )
        )
    return AutoModelForCausalLM.from_pretrained(name, **options)


def load_in_one_dict(name):
    options = dict(load_in_8bit=True, quantization_config=BitsAndBytesConfig(load_in_8bit=True))  # expect: DP888
    return AutoModelForCausalLM.from_pretrained(name, **options)


def load_with_none(name):
    options = dict(load_in_8bit=True, quantization_config=None)
    return AutoModelForCausalLM.from_pretrained(name, **options)


def load_off(name):
    options = dict(load_in_8bit=False, quantization_config=BitsAndBytesConfig(load_in_8bit=True))
    return AutoModelForCausalLM.from_pretrained(name, **options)


def load_config_only(name):
    options = dict(
        torch_dtype=torch.bfloat16,
        quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16),
    )
    return AutoModelForCausalLM.from_pretrained(name, **options)


def only_described():
    return dict(load_in_8bit=True, quantization_config=BitsAndBytesConfig(load_in_8bit=True))
