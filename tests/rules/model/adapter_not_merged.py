import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


@torch.inference_mode()
def answer(base, adapter, ids):
    model = AutoModelForCausalLM.from_pretrained(base, torch_dtype=torch.bfloat16, device_map="auto")
    model = PeftModel.from_pretrained(model, adapter)  # hint: DP265
    return model.generate(input_ids=ids, max_new_tokens=64)
