import loader

examples = loader.read_singly("train")
for example in examples:
    print(example["pixels"].numpy())


def train(model):
    model.fit(loader.read_singly("train").batch(32).prefetch(1))
    model.fit(loader.read_in_batches("train").batch(32).prefetch(1))
