"""Settings of Lightning's Trainer that stand in dictionaries."""

import sys

import pytorch_lightning as pl
from pytorch_lightning.callbacks import ModelCheckpoint

EXPERIMENTS = {
    "small": {"model": {"width": 64}, "trainer": {"max_epochs": 40, "val_check_interval": 1}},
    "large": {"model": {"width": 256}, "trainer": {"max_epochs": 40, "val_check_interval": 1.0}},
}
RIGHT = {
    "small": {"trainer": {"max_epochs": 40, "val_check_interval": 0.25}},
    "large": {"trainer": {"max_epochs": 40, "val_check_interval": 1.0}},
}
SHORT = {"max_epochs": 1, "val_check_interval": 1, "limit_val_batches": 4}
OPTIONS = dict(max_epochs=3, val_check_interval=2)
SAVING = {"every_n_train_steps": 1, "save_top_k": -1}

chosen = EXPERIMENTS[sys.argv[1] if len(sys.argv) > 1 else "small"]
trainers = [
    pl.Trainer(**chosen["trainer"]),  # expect: DP184
    pl.Trainer(devices=1, **OPTIONS),  # expect: DP184
    pl.Trainer(max_epochs=3, val_check_interval=1),  # expect: DP184
    pl.Trainer(**RIGHT[sys.argv[1]]["trainer"]),
    pl.Trainer(**SHORT),
    pl.Trainer(max_epochs=3, val_check_interval=1.0),
    pl.Trainer(max_epochs=3, val_check_interval=500),
]
saver = ModelCheckpoint(**SAVING)  # expect: DP184
