import torch
import torch.nn.functional as F

image = F.normalize(torch.randn(7, 16), dim=-1)
text = F.normalize(torch.randn(7, 16), dim=-1)
logits = image @ text.t() * 14.3
labels = torch.arange(7)
loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
z = torch.cat([image, text])
sim = (z @ z.t()).masked_fill(torch.eye(14, dtype=torch.bool), float("-inf"))
loss = loss + F.cross_entropy(sim, torch.cat([labels + 7, labels]))
