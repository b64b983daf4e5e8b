import torch
import torch.nn.functional as F
from torch import nn

logits = torch.randn(6, 4)
F.cross_entropy(logits, torch.randint(4, (6,)))
F.cross_entropy(logits, torch.softmax(torch.randn(6, 4), 1))
F.cross_entropy(torch.randn(2, 4, 5, 5), torch.randint(4, (2, 5, 5)))
F.cross_entropy(torch.randn(4), torch.tensor(2))
nn.CrossEntropyLoss(label_smoothing=0.1)(logits, F.one_hot(torch.randint(4, (6,)), 4).float())
F.binary_cross_entropy_with_logits(torch.randn(6), torch.ones(6))
nn.BCEWithLogitsLoss(pos_weight=torch.ones(4))(logits, torch.zeros(6, 4))
F.nll_loss(F.log_softmax(logits, 1), torch.zeros(6, dtype=torch.long))
nn.MSELoss()(logits, torch.zeros(6, 4))
F.ctc_loss(torch.randn(50, 2, 20).log_softmax(2), torch.randint(1, 20, (2, 10)), torch.tensor([50, 50]), torch.tensor([10, 8]))
nn.TripletMarginLoss()(logits, logits + 1, logits - 1)
nn.CosineEmbeddingLoss()(logits, logits, torch.ones(6))
