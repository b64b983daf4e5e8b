import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class Writer:
    tokenizer_options = {"padding_side": "right", "use_fast": True}

    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name, **self.tokenizer_options)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def write(self, prompts, size):
        for start in range(0, len(prompts), size):
            enc = self.tokenizer(prompts[start : start + size], padding=True, return_tensors="pt")  # expect: DP839
            yield from self.tokenizer.batch_decode(self.model.generate(**enc, max_new_tokens=8))


PADDED = {"padding": True, "return_tensors": "pt"}


class WithOptionsOfTheCall:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name, padding_side="right")
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def write(self, prompts, size):
        for start in range(0, len(prompts), size):
            enc = self.tokenizer(prompts[start : start + size], **PADDED)  # expect: DP839
            yield from self.tokenizer.batch_decode(self.model.generate(**enc, max_new_tokens=8))


class OptionsOfTheCaller:
    def __init__(self, name, **options):
        self.tokenizer = AutoTokenizer.from_pretrained(name, **options)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def write(self, prompts, size):
        for start in range(0, len(prompts), size):
            enc = self.tokenizer(prompts[start : start + size], padding=True, return_tensors="pt")
            yield from self.tokenizer.batch_decode(self.model.generate(**enc, max_new_tokens=8))
