"""Texts that the function puts together."""
import torch
from transformers import CLIPModel, CLIPTokenizerFast


class ZeroShot:
    def __init__(self, name, classes):
        self.tokenizer = CLIPTokenizerFast.from_pretrained(name)
        self.model = CLIPModel.from_pretrained(name).eval()
        self.classes = classes

    @torch.inference_mode()
    def text_features(self):
        prompts = [f"a photo of a {name}" for name in self.classes]
        tokens = self.tokenizer(prompts, padding=True, return_tensors="pt")
        return self.model.get_text_features(**tokens)

    @torch.inference_mode()
    def caption_features(self, captions):
        prompts = [f"a photo of {caption}" for caption in captions]
        tokens = self.tokenizer(prompts, padding=True, return_tensors="pt")
        return self.model.get_text_features(**tokens)

    @torch.inference_mode()
    def predict(self, pixels):
        image = self.model.get_image_features(pixel_values=pixels)
        return image @ self.text_features().T

    @torch.inference_mode()
    def score(self, pixels, captions):
        image = self.model.get_image_features(pixel_values=pixels)
        return image @ self.caption_features(captions).T


def evaluate(loader, classes):
    model = ZeroShot("openai/clip-vit-base-patch32", classes)
    for pixels, captions in loader:
        yield model.predict(pixels), model.score(pixels, captions)  # expect: DP412
