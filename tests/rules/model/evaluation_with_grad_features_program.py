import sys
import h5py
import torch
import timm
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder


def features(net, loader, device):
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
        f = net.forward_features(images)  # expect: DP232
        yield f.mean(dim=(2, 3)).cpu().data.numpy(), labels.numpy()


def main(root, out):
    tf = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()])
    data = ImageFolder(root, tf)
    loader = DataLoader(data, batch_size=64, num_workers=8, pin_memory=True)
    net = timm.create_model("resnet50", pretrained=True).cuda().eval()
    with h5py.File(out, "w") as h5:
        store = h5.create_dataset("features", (len(data), 2048), dtype="f4")
        at = 0
        for f, y in features(net, loader, "cuda"):
            store[at:at + len(f)] = f
            at += len(f)


main(*sys.argv[1:])
