from accelerate import Accelerator
from accelerate.utils import GradientAccumulationPlugin


def main(args, model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=args.accum)  # expect: DP831
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch).mean())
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            accelerator.print(step)


class Loop:
    def __init__(self):
        plugin = GradientAccumulationPlugin(num_steps=8)  # expect: DP831
        self.accelerator = Accelerator(gradient_accumulation_plugin=plugin)

    def run(self, model, optimizer, loader):
        for batch in loader:
            self.accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
