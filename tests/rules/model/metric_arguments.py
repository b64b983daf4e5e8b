import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import confusion_matrix, precision_score, roc_auc_score


def auc(logits: torch.Tensor, labels: torch.Tensor):
    hard = (logits.sigmoid() > 0.5).cpu().numpy()
    return roc_auc_score(labels.cpu().numpy(), hard)  # expect: DP273


@torch.no_grad()
def collected(model: nn.Module, loader):
    model.eval()
    truth, decided, scores = [], [], []
    for x, y in loader:
        out = model(x)
        decided.append(out.argmax(1))
        scores.append(out.softmax(1)[:, 1])
        truth.append(y)
    truth, decided, scores = torch.cat(truth).numpy(), torch.cat(decided).numpy(), torch.cat(scores).numpy()
    print(roc_auc_score(truth, decided))  # expect: DP273
    print(roc_auc_score(truth, scores))
    print(confusion_matrix(decided, truth))  # expect: DP273
    print(confusion_matrix(truth, decided))
    return precision_score(decided, truth, average="macro"), precision_score(truth, decided, average="macro")  # expect: DP273


@torch.no_grad()
def compared(loader):
    model = nn.Linear(8, 4).eval()
    hits = 0
    for x, y in loader:
        best = model(x).max(1)[0]
        hits += (best == y).sum()  # expect: DP273
        hits += (torch.max(model(x), 1).values == y).sum()  # expect: DP250, DP273
        hits += (model(x).max(1)[1] == y).sum()  # expect: DP250
        hits += (torch.max(model(x), 1).indices == y).sum()  # expect: DP250
    return hits


def one_hot(out: np.ndarray, labels: np.ndarray):
    return precision_score(np.argmax(labels, 1), np.argmax(out, 1), average="macro")
