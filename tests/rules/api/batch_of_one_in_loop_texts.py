import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Classifier:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSequenceClassification.from_pretrained(name).cuda().eval()

    @torch.no_grad()
    def one(self, text):
        batch = self.tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
        return self.model(**batch).logits.argmax(-1)  # expect: DP146

    def many(self, texts):
        return [self.one(text) for text in texts]

    @torch.no_grad()
    def batches(self, texts, size=32):
        found = []
        for start in range(0, len(texts), size):
            batch = self.tokenizer(texts[start : start + size], padding=True, truncation=True, return_tensors="pt").to("cuda")
            found.append(self.model(**batch).logits.argmax(-1))
        return found

    @torch.no_grad()
    def asked(self, text):
        batch = self.tokenizer(text, truncation=True, return_tensors="pt").to("cuda")
        return self.model(**batch).logits.argmax(-1)
