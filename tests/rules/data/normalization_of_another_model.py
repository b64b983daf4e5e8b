import timm
import torch
from PIL import Image
from torchvision import transforms as T

MEAN = [0.485, 0.456, 0.406]
STD = [0.229, 0.224, 0.225]
NAME = "vit_small_patch16_224.augreg_in21k_ft_in1k"


def build_transform(size=224):
    return T.Compose([T.Resize(size), T.CenterCrop(size), T.ToTensor(), T.Normalize(MEAN, STD)])  # expect: DP434


class Labeler:
    def __init__(self, name=NAME):
        self.model = timm.create_model(name, pretrained=True).eval()
        self.transform = build_transform()

    @torch.inference_mode()
    def __call__(self, path):
        return self.model(self.transform(Image.open(path).convert("RGB"))[None]).argmax(-1).item()
