"""Requests that Ray Serve collects into a batch, and that the handler then answers one by one."""

import asyncio

import timm
import torch
from ray import serve


@serve.deployment
class Classifier:
    def __init__(self):
        self.model = timm.create_model("resnet18", pretrained=False).cuda().eval()

    def _one_by_one(self, images):
        results = []
        with torch.inference_mode():
            for image in images:
                logits = self.model(image.unsqueeze(0).cuda())  # expect: DP146
                results.append(logits.argmax(-1))
        return results

    def _together(self, images):
        with torch.inference_mode():
            return self.model(torch.stack(images).cuda()).argmax(-1).tolist()

    @torch.inference_mode()
    def warm_up(self, images):
        for image in images:
            self.model(image.unsqueeze(0).cuda())  # hint: DP146

    @serve.batch(max_batch_size=16)
    async def predict(self, images):
        return await asyncio.to_thread(self._one_by_one, images)

    @serve.batch(max_batch_size=16)
    async def predict_together(self, images):
        return await asyncio.to_thread(self._together, images)

    @serve.batch
    async def predict_here(self, images):
        with torch.no_grad():
            found = []
            for image in images:
                found.append(self.model(image[None].cuda()).argmax(-1))  # expect: DP146
            return found
