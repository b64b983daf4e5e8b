from dataclasses import dataclass

import segmentation_models_pytorch as smp
import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import (
    BinaryAUROC,
    BinaryAveragePrecision,
    BinaryF1Score,
    BinaryPrecisionRecallCurve,
)


@dataclass
class Settings:
    bins: int | None = None
    few: int = 100


def build(settings):
    return MetricCollection(
        {
            "f1": BinaryF1Score(),
            "auroc": BinaryAUROC(thresholds=settings.bins),  # expect: DP433
            "precision": BinaryAveragePrecision(),  # expect: DP433
            "curve": BinaryPrecisionRecallCurve(thresholds=None),  # expect: DP433
            "binned": BinaryAUROC(thresholds=settings.few),
            "binned_precision": BinaryAveragePrecision(thresholds=200),
        }
    )


def load(path):
    net = smp.Unet("resnet34", encoder_weights=None, classes=1)
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net.cuda().eval()


@torch.inference_mode()
def evaluate(loader, path):
    net = load(path)
    metrics = build(Settings()).cuda()
    for pictures, masks in loader:
        logits = net(pictures.cuda()).squeeze(1)
        metrics.update(logits.float().sigmoid(), masks.cuda())
    return metrics.compute()
