import torch
from PIL import Image
from transformers import CLIPModel, CLIPProcessor

model = CLIPModel.from_pretrained("openai/clip-vit-base-patch32", torch_dtype=torch.float16).eval()
processor = CLIPProcessor.from_pretrained("openai/clip-vit-base-patch32")
LABELS = ["a photo of a cat", "a photo of a dog"]


@torch.inference_mode()
def classify(paths):
    found = []
    for path in paths:
        text = processor(text=LABELS, return_tensors="pt", padding=True)  # expect: DP412
        pixels = processor(images=Image.open(path), return_tensors="pt")  # expect: DP141
        found.append(model.get_image_features(**pixels) @ model.get_text_features(**text).T)
    return found
