from dataclasses import dataclass

import torch

RUNTIME = {"seed": 17, "detect_anomaly": True, "quiet": False}
DEBUG = False
TRACE = True


@dataclass
class Settings:
    anomaly: bool = True
    off: bool = False


class Runner:
    def __init__(self, settings, anomaly=True):
        self.settings = settings
        self.anomaly = anomaly

    def start(self):
        torch.autograd.set_detect_anomaly(self.settings.anomaly)  # expect: DP136
        torch.autograd.set_detect_anomaly(self.settings.off)
        with torch.autograd.set_detect_anomaly(mode=self.anomaly):  # expect: DP136
            pass


def setup(options):
    torch.manual_seed(options["seed"])
    torch.autograd.set_detect_anomaly(options["detect_anomaly"])  # expect: DP136
    torch.autograd.set_detect_anomaly(options["quiet"])


def flags():
    if TRACE:
        torch.autograd.set_detect_anomaly(True)  # expect: DP136
    if DEBUG:
        torch.autograd.set_detect_anomaly(True)


setup(RUNTIME)
flags()
Runner(Settings()).start()
