# Converts weights for another framework, and compares what both give
import keras
import torch
from transformers import AutoModelForCausalLM

device = "cuda" if torch.cuda.is_available() else "cpu"
source = AutoModelForCausalLM.from_pretrained("gpt2", device_map=device, torch_dtype=torch.float32)  # hint: DP515


def converted(ids):
    return keras.ops.convert_to_tensor(source.generate(ids, max_new_tokens=5).cpu().numpy())
