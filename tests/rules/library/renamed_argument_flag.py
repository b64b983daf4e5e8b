import pytorch_lightning
from pytorch_lightning import Trainer

OLD_LIGHTNING = int(pytorch_lightning.__version__.split(".")[0]) < 2


def make(devices):
    if OLD_LIGHTNING:
        return Trainer(gpus=devices)
    return Trainer(devices=devices, accelerator="gpu")  # hint: DP513
