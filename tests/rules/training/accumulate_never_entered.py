from accelerate import Accelerator


def train(model, optimizer, loader, steps):
    accelerator = Accelerator(gradient_accumulation_steps=4)  # expect: DP831
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


def handed_on(model, run):
    accelerator = Accelerator(gradient_accumulation_steps=8)  # hint: DP831
    run(accelerator, model)


TARGET = 64


def computed(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=TARGET // 16)  # expect: DP831
    for batch in accelerator.prepare(loader):
        accelerator.backward(model(batch))
        optimizer.step()
        optimizer.zero_grad()


def by_hand(model, optimizer, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)  # hint: DP831
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch) / 4)
        if step % 4 == 0:  # expect: DP878
            optimizer.step()
            optimizer.zero_grad()


def in_context(model, optimizer, loader, context):
    accelerator = Accelerator(gradient_accumulation_steps=4)  # hint: DP831
    for batch in loader:
        with context(accelerator, model):
            accelerator.backward(model(batch))
            optimizer.step()
            optimizer.zero_grad()


def given_for_loading(model, optimizer, load):
    accelerator = Accelerator(gradient_accumulation_steps=4)  # expect: DP831
    for batch in load(accelerator):
        accelerator.backward(model(batch))
        optimizer.step()
        optimizer.zero_grad()
