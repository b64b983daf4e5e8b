"""A function that takes several prompts gets one."""
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


class Translator:
    def __init__(self, name="t5-small"):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda().eval()

    def run(self, batch):
        encoded = self.tokenizer(batch, return_tensors="pt", padding=True).to("cuda")
        with torch.inference_mode():
            output = self.model.generate(**encoded, max_new_tokens=64)  # expect: DP152
        return self.tokenizer.batch_decode(output, skip_special_tokens=True)

    def translate(self, sentences):
        result = []
        for sentence in sentences:
            result.extend(self.run([sentence]))
        return result


class Batched:
    def __init__(self, name="t5-small"):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name, torch_dtype=torch.bfloat16).cuda().eval()

    def run(self, batch):
        encoded = self.tokenizer(batch, return_tensors="pt", padding=True).to("cuda")
        with torch.inference_mode():
            output = self.model.generate(**encoded, max_new_tokens=64)
        return self.tokenizer.batch_decode(output, skip_special_tokens=True)

    def translate(self, sentences):
        result = []
        for start in range(0, len(sentences), 32):
            result.extend(self.run(sentences[start : start + 32]))
        return result


def main(path):
    lines = open(path).read().splitlines()
    return Translator().translate(lines), Batched().translate(lines)
