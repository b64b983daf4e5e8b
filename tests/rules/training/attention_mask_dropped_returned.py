"""A function returns what the model gets."""
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Scorer:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSequenceClassification.from_pretrained(name).cuda().eval()

    def ids_alone(self, texts):
        encoded = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        return {"input_ids": encoded["input_ids"].cuda()}

    def ids_and_mask(self, texts):
        encoded = self.tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        return {"input_ids": encoded["input_ids"].cuda(), "attention_mask": encoded["attention_mask"].cuda()}

    def not_padded(self, text):
        encoded = self.tokenizer(text, truncation=True, return_tensors="pt")
        return {"input_ids": encoded["input_ids"].cuda()}

    @torch.inference_mode()
    def score(self, texts):
        return self.model(**self.ids_alone(texts)).logits.cpu()  # expect: DP901

    @torch.inference_mode()
    def score_named(self, texts):
        inputs = self.ids_alone(texts)
        return self.model(**inputs).logits.cpu()  # expect: DP901

    @torch.inference_mode()
    def score_right(self, texts):
        return self.model(**self.ids_and_mask(texts)).logits.cpu()

    @torch.inference_mode()
    def score_one(self, text):
        return self.model(**self.not_padded(text)).logits.cpu()
