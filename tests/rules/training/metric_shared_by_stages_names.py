"""One metric object under the names of several stages."""

import lightning as L
from torch import nn
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

STAGES = ("train", "val", "test")


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 4)
        metrics = MetricCollection({"accuracy": MulticlassAccuracy(4), "f1": MulticlassF1Score(4)})
        self.by_comprehension = nn.ModuleDict({stage: metrics for stage in ("fit", "validate")})  # expect: DP818
        self.by_name = nn.ModuleDict({f"{stage}_stage": metrics for stage in STAGES})  # expect: DP818
        self.by_entry = nn.ModuleDict({"train_": metrics, "val_": metrics})  # expect: DP818
        self.by_keys = nn.ModuleDict(dict.fromkeys(["train_", "val_"], metrics))  # expect: DP818
        self.train_accuracy = self.val_accuracy = MulticlassAccuracy(4)  # expect: DP818

        self.cloned = nn.ModuleDict({stage: metrics.clone() for stage in STAGES})
        self.made = nn.ModuleDict({f"{stage}_": MulticlassAccuracy(4) for stage in STAGES})
        self.prefixed = nn.ModuleDict({"train_": metrics.clone(prefix="train/"), "val_": metrics.clone(prefix="val/")})
        self.others = nn.ModuleDict({"val_": metrics, "test_": metrics})
        self.sizes = {stage: len(STAGES) for stage in STAGES}
        pair = [MulticlassAccuracy(4), MulticlassAccuracy(4)]
        self.zipped = nn.ModuleDict({f"{stage}_": metric for stage, metric in zip(("train", "val"), pair)})

    def forward(self, x):
        return self.net(x)
