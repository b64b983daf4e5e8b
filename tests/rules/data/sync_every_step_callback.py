import lightning as L
import torch
from lightning.pytorch.callbacks import Callback


class Norm(Callback):
    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        gradients = [p.grad.detach() for p in pl_module.parameters() if p.grad is not None]
        pl_module.log("norm", torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients))))


class Norms(Callback):
    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        total = 0.0
        for parameter in pl_module.parameters():
            total += parameter.grad.detach().norm(2).item() ** 2  # expect: DP402
        pl_module.log("norm", total**0.5)


def main(model, loader):
    trainer = L.Trainer(accelerator="gpu", precision="bf16-mixed", max_epochs=5, callbacks=[Norm(), Norms()])
    trainer.fit(model, loader)
