# Forward passes of which only numbers are used, in a script that runs them.
import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        features = F.relu(self.body(x))
        return self.head(features), features


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            return self.body(x)


net = Net()
layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


def show(model, x):
    y, _ = model(x)  # expect: DP232
    plt.plot(y.data.numpy())


def accuracy(model, batches):
    right = total = 0
    for x, y in batches:
        scores, _ = model(x)  # expect: DP232
        right += (scores.argmax(1) == y).sum().item()
        total += len(y)
    return right / total


def collected(batches):
    outputs = []
    for x, _ in batches:
        outputs.append(layers(x).detach().cpu().numpy())  # expect: DP232
    return np.concatenate(outputs)


def loss_of(batch):
    x, y = batch
    scores, _ = net(x)
    return criterion(scores, y)


def through_a_helper(batches):
    total = 0.0
    for batch in batches:
        total += loss_of(batch).item()  # expect: DP232
    return total


def trained_with_it(batches):
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss)


def in_a_dict(batches):
    for x, y in batches:
        result = {"scores": net(x)[0], "labels": y}  # expect: DP232
        best = torch.max(result["scores"], 1)[1]
        print(f"{best}")


def of_a_loader(dataset):
    model = torchvision.models.resnet18()
    for images, labels in DataLoader(dataset, num_workers=4, batch_size=8):  # expect: DP131
        print(float(F.cross_entropy(model(images), labels)))  # expect: DP232


def of_hugging_face(texts, tokenizer):
    model = AutoModelForSequenceClassification.from_pretrained("bert")  # expect: DP205
    for text in texts:
        outputs = model(**tokenizer(text, return_tensors="pt"))  # expect: DP141, DP232
        print(outputs.logits.argmax(-1).tolist())


def of_a_loaded_file(paths, x):
    for path in paths:
        model = torch.load(path, weights_only=False)
        model.eval()
        print(model(x).argmax(1))  # expect: DP232


class Runner:
    def __init__(self, batches):
        self.net = Net()
        self.batches = batches

    def _step(self, batch):
        x, y = batch
        scores, _ = self.net(x)
        return {"loss": criterion(scores, y), "scores": scores}

    def fit(self):
        for batch in self.batches:
            self._step(batch)["loss"].backward()
            optimizer.step()
            optimizer.zero_grad()

    def check(self):
        total = 0.0
        for batch in self.batches:
            out = self._step(batch)  # expect: DP232
            total += out["loss"].item()
        print(total)

    def check_well(self):
        with torch.no_grad():
            for batch in self.batches:
                print(self._step(batch)["loss"])


# ---- Silent -------------------------------------------------------------------------------------------------------------


def under_no_grad(batches):
    with torch.no_grad():
        for x, y in batches:
            print(net(x)[0].argmax(1))


def switched_off(model, batches, is_training):
    for x, y in batches:
        with torch.set_grad_enabled(is_training):
            print(model(x)[0].argmax(1))


def print_classes(model, x):
    print(model(x)[0].argmax(1))


def switched_off_for_helper(model, batches, is_training):
    for x, y in batches:
        with torch.set_grad_enabled(is_training):
            print_classes(model, x)


def returned(batches):
    return [net(x)[0] for x, _ in batches]


def given_away(batches, keep):
    for x, _ in batches:
        scores, _ = net(x)
        keep.take(scores)
        print(scores.argmax(1))


def stored(runner, batches):
    for x, _ in batches:
        runner.scores = net(x)[0]
        print(runner.scores.argmax(1))


def yielded(batches):
    for x, _ in batches:
        scores = net(x)[0]
        print(scores.argmax(1))
        yield scores


def trains(batches):
    for x, y in batches:
        scores, _ = net(x)
        loss = criterion(scores, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print((scores.argmax(1) == y).sum())


def gradient_of_the_input(batches):
    for x, y in batches:
        x.requires_grad_()
        scores, _ = net(x)
        criterion(scores, y).backward()
        print(x.grad.abs().sum())


def has_no_graph_after_all(batches):
    for x, _ in batches:
        print(net(x)[0].numpy())


def without_weights(batches):
    for x, y in batches:
        print(criterion(nn.MaxPool1d(2)(x), y).item())


def switches_by_itself(batches):
    model = Frozen()  # expect: DP236
    for x, _ in batches:
        print(model(x).argmax(1))


def generates(model_name, prompts):
    model = AutoModelForSequenceClassification.from_pretrained(model_name)
    for prompt in prompts:
        print(model.generate(prompt)[0].tolist())


def caught(batches):
    for x, _ in batches:
        scores, _ = net(x)

        def closure():
            return scores.sum()

        print(scores.argmax(1), closure)


def lists_of_losses(batches):
    losses = []
    for x, y in batches:
        losses.append(criterion(net(x)[0], y))
        print(losses[-1].item())
    torch.stack(losses).mean().backward()


def called_under_no_grad(x):
    return net(x)[0].argmax(1).tolist()


@torch.no_grad()
def caller(batches):
    for x, _ in batches:
        print(called_under_no_grad(x))


if __name__ == "__main__":
    data = [(torch.zeros(1, 3), torch.zeros(1).long())]
    for _ in range(100):
        show(net, torch.zeros(1, 3))
        accuracy(net, data)
        collected(data)
        through_a_helper(data)
        trained_with_it(data)
        in_a_dict(data)
        of_a_loader(data)
        of_hugging_face([], None)
        of_a_loaded_file([], data)
        runner = Runner(data)
        runner.fit()
        runner.check()
        runner.check_well()
        under_no_grad(data)
        switched_off(net, data, False)
        returned(data)
        given_away(data, None)
        stored(runner, data)
        list(yielded(data))
        trains(data)
        gradient_of_the_input(data)
        has_no_graph_after_all(data)
        without_weights(data)
        switches_by_itself(data)
        generates("t5", [])
        caught(data)
        lists_of_losses(data)
        caller(data)
