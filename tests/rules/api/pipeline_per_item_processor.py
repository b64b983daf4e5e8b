import torch
from PIL import Image
from transformers import AutoImageProcessor, AutoModel

processor = AutoImageProcessor.from_pretrained("facebook/dinov2-base")
model = AutoModel.from_pretrained("facebook/dinov2-base", torch_dtype=torch.float16).eval()


@torch.inference_mode()
def one_by_one(paths):
    found = []
    for path in paths:
        pixels = processor(images=Image.open(path), return_tensors="pt")  # expect: DP141
        found.append(model(**pixels).last_hidden_state[:, 0])
    return found


@torch.inference_mode()
def vector(path):
    pixels = processor(images=Image.open(path), return_tensors="pt")  # expect: DP141
    return model(**pixels).last_hidden_state[:, 0]


def all_vectors(paths):
    return [vector(path) for path in paths]


@torch.inference_mode()
def in_batches(paths, size=32):
    found = []
    for i in range(0, len(paths), size):
        pixels = processor(images=[Image.open(p) for p in paths[i : i + size]], return_tensors="pt")
        found.append(model(**pixels).last_hidden_state[:, 0])
    return found
