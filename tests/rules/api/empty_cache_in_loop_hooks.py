"""A program's own callbacks, which the training loop calls by their names."""
import gc

import torch
import torch.nn.functional as F


class Hook:
    def before_step(self, loop): ...
    def on_batch_end(self, loop, step): ...
    def on_epoch_end(self, loop): ...
    def on_failure(self, loop): ...


class Tidy(Hook):
    def before_step(self, loop):
        torch.cuda.empty_cache()  # expect: DP134

    def on_batch_end(self, loop, step):
        gc.collect()
        torch.cuda.empty_cache()  # expect: DP134

    def on_epoch_end(self, loop):
        torch.cuda.empty_cache()  # right: once for many steps


class Careful(Hook):
    def on_batch_end(self, loop, step):
        if step % 500 == 0:
            torch.cuda.empty_cache()  # right: seldom

    def on_failure(self, loop):
        torch.cuda.empty_cache()  # right: seldom

    def on_idle(self):
        torch.cuda.empty_cache()  # right: nobody is seen to call it


class Training:
    def __init__(self, net, optimizer, hooks):
        self.net = net
        self.optimizer = optimizer
        self.hooks = hooks

    def notify(self, what, *details):
        for hook in self.hooks:
            getattr(hook, what)(self, *details)

    def run(self, batches, epochs):
        for _ in range(epochs):
            for step, (x, y) in enumerate(batches):
                for hook in self.hooks:
                    hook.before_step(self)
                loss = F.cross_entropy(self.net(x.cuda()), y.cuda())
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.notify("on_batch_end", step)
                if step == 7:
                    self.notify("on_failure")
            self.notify("on_epoch_end")
