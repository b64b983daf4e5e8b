from net import Net
from pkg.brain import Trainer

Trainer(Net()).train(100, None)
