from accelerate import Accelerator


def train(model, optimizer, loader, steps):
    accelerator = Accelerator(gradient_accumulation_steps=4)  # hint: DP831
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
        optimizer.step()
        optimizer.zero_grad()


def by_setting(args):
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=args.steps)  # hint: DP831
    return accelerator


def one():
    accelerator = Accelerator(gradient_accumulation_steps=1)
    other = Accelerator()
    return accelerator, other
