import lightning as L
import torch
from transformers import TrainerCallback


class Cleaning(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        torch.cuda.empty_cache()  # expect: DP134

    def on_epoch_end(self, args, state, control, **kwargs):
        torch.cuda.empty_cache()


class Norms(L.Callback):
    def on_after_backward(self, trainer, module):
        total = torch.zeros((), device=module.device)
        for p in module.parameters():
            total += p.grad.norm() ** 2
        print(total.sqrt().item())  # expect: DP402

    def on_train_epoch_end(self, trainer, module):
        print(torch.zeros((), device=module.device).item())
