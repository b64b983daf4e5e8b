"""Right: mean and standard deviation 0.5, or weights that are not used."""

import timm
from torchvision import transforms

model = timm.create_model("vit_base_patch16_224.augreg_in21k", pretrained=True, num_classes=0).eval()
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
