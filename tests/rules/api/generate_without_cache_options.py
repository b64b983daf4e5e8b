import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

OPTIONS = {"max_new_tokens": 256, "use_cache": False}
GOOD = {"max_new_tokens": 256, "do_sample": False}


class Bot:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda().eval()

    def encode(self, text):
        return self.tokenizer(text, return_tensors="pt").to("cuda")

    def ask(self, text):
        inputs = self.tokenizer(text, return_tensors="pt").to("cuda")
        return self.tokenizer.decode(self.model.generate(**inputs, **OPTIONS)[0])  # expect: DP153

    def ask_well(self, text):
        return self.tokenizer.decode(self.model.generate(**self.encode(text), **GOOD)[0])

    def ask_somehow(self, inputs, options):
        return self.tokenizer.decode(self.model.generate(**inputs, **options)[0])
