import torch
import torch.nn.functional as F
from transformers import AutoModelForSequenceClassification, SegformerForSemanticSegmentation

model = SegformerForSemanticSegmentation.from_pretrained("segformer").cuda().eval()
classifier = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").cuda().eval()


@torch.no_grad()
def maps(loader):
    outputs, masks = [], []
    for pixels, mask in loader:
        logits = model(pixels.cuda(non_blocking=True)).logits
        logits = F.interpolate(logits, size=mask.shape[-2:])
        outputs.append(logits)  # expect: DP450
        masks.append(mask)
    outputs, masks = torch.cat(outputs), torch.cat(masks)
    return (outputs.argmax(1).cpu() == masks).float().mean()


@torch.inference_mode()
def maps_in_pairs(loader):
    kept = []
    for pixels, mask in loader:
        kept.append((model(pixels.cuda(non_blocking=True)).logits, mask))  # expect: DP450
    everything = torch.cat([one[0] for one in kept])
    return torch.argmax(everything, dim=1)


@torch.inference_mode()
def classes(loader):
    kept = []
    for batch in loader:
        kept.append(classifier(**batch).logits)  # hint: DP450
    return torch.cat(kept).argmax(-1)


@torch.no_grad()
def reduced(loader):
    outputs = []
    for pixels, mask in loader:
        outputs.append(model(pixels.cuda(non_blocking=True)).logits.argmax(1))
    return torch.cat(outputs)


@torch.no_grad()
def needed(loader):
    outputs = []
    for pixels, mask in loader:
        outputs.append(model(pixels.cuda(non_blocking=True)).logits)
    return torch.cat(outputs)


class Segmenter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.scores = torch.nn.Conv2d(16, 21, 1)

    def forward(self, x):
        return self.scores(self.features(x).relu())


class Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.scores = torch.nn.Linear(16, 21)

    def forward(self, x):
        return self.scores(self.features(x).mean((2, 3)))


@torch.no_grad()
def own_maps(loader, device):
    own = Segmenter().to(device).eval()
    small = Classifier().to(device).eval()
    kept, few = [], []
    for pixels in loader:
        kept.append(own(pixels.to(device)))  # expect: DP450
        few.append(small(pixels.to(device)))  # hint: DP450
    return torch.cat(kept).argmax(1), torch.cat(few).argmax(1)
