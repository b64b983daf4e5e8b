# Loaded for training, which needs no cache: nothing in this file generates.
from transformers import AutoModelForCausalLM


def sharded(name):
    model = AutoModelForCausalLM.from_pretrained(name, use_cache=False)
    model.config.pretraining_tp = 1
    return model
