# A function or method that a loop calls with the same text each time.
import torch
from transformers import CLIPTextModel, CLIPTokenizer


class Painter:
    def __init__(self, name, unet, scheduler):
        self.tokenizer = CLIPTokenizer.from_pretrained(name)
        self.text = CLIPTextModel.from_pretrained(name)
        self.unet = unet
        self.scheduler = scheduler

    def encode(self, texts):
        tokens = self.tokenizer(texts, padding="max_length", truncation=True, return_tensors="pt")
        return self.text(tokens.input_ids)[0]

    @torch.inference_mode()
    def paint(self, prompts, latents, negative=""):
        for t in self.scheduler.timesteps:
            cond = self.encode([negative] * len(prompts) + list(prompts))  # expect: DP412
            latents = self.unet(latents, t, cond)
        return latents

    @torch.inference_mode()
    def paint_once(self, prompts, latents, negative=""):
        cond = self.encode([negative] * len(prompts) + list(prompts))
        for t in self.scheduler.timesteps:
            latents = self.unet(latents, t, cond)
        return latents

    @torch.inference_mode()
    def paint_many(self, batches):
        return [self.encode(list(prompts)) for prompts in batches]
