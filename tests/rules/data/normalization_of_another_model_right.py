"""Right: models that were trained with the statistics of ImageNet."""

import timm
from torchvision import transforms

normalize = transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


def load(kind):
    if kind == "deit":
        return timm.create_model("deit_base_patch16_224", pretrained=True).eval()
    if kind == "dino":
        return timm.create_model("vit_base_patch16_224.dino", pretrained=True).eval()
    if kind == "mae":
        return timm.create_model("vit_base_patch16_224.mae", pretrained=True).eval()
    return timm.create_model("resnet50", pretrained=True).eval()
