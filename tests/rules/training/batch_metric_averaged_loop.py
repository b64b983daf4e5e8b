import numpy as np
import torch
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassF1Score


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    loader = DataLoader(data, batch_size=64, num_workers=4)
    scores, total, hits = [], 0.0, []
    f1 = MulticlassF1Score(10)
    sums = 0.0
    for x, y in loader:
        pred = model(x).argmax(1)
        scores.append(f1_score(y, pred, average="macro"))  # expect: DP835
        total += roc_auc_score(y, pred)  # expect: DP273, DP835
        sums += f1(pred, y).item()  # expect: DP835
        hits.append(accuracy_score(y, pred))
    return np.mean(scores), total / len(loader), sums / len(loader), np.mean(hits)


@torch.no_grad()
def right(model, data):
    model.eval()
    labels, preds = [], []
    for x, y in DataLoader(data, batch_size=64, num_workers=4):
        labels.append(y)
        preds.append(model(x).argmax(1))
    return f1_score(torch.cat(labels), torch.cat(preds), average="macro")


@torch.no_grad()
def kept_apart(model, data):
    model.eval()
    scores = []
    for x, y in DataLoader(data, batch_size=64, num_workers=4):
        scores.append(f1_score(y, model(x).argmax(1), average="macro"))
    return scores
