import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class Writer:
    tokenizer_options = {"padding_side": "left", "use_fast": True}

    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name, **self.tokenizer_options)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def write(self, prompts, size):
        for start in range(0, len(prompts), size):
            enc = self.tokenizer(prompts[start : start + size], padding=True, return_tensors="pt")
            yield from self.tokenizer.batch_decode(self.model.generate(**enc, max_new_tokens=8))
