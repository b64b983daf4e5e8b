# What is called like a model and is none, or has nothing that a gradient could be for.
import onnxruntime
import torch
import torch.nn as nn
import torchaudio
from hub import HubMixin


def resampled(paths, rate):
    found = []
    for path in paths:
        wave, given = torchaudio.load(path)
        resample = torchaudio.transforms.Resample(orig_freq=given, new_freq=rate)
        found.append(resample(wave).mean().item())
    return found


class Classifier(HubMixin):
    def __init__(self, body, head):
        self.body = body
        self.head = head

    def __call__(self, texts):
        return self.head.predict(self.body.encode(texts))


def labels_of(texts):
    model = Classifier.from_pretrained("somewhere")
    for text in texts:
        found = model(text)
        print([float(one) for one in found])


class Exported:
    def __init__(self, model):
        self.model = model

    def predict(self, batches):
        for batch in batches:
            print(self.model(batch).argmax().item())  # hint: DP232


def exported(paths, batches, load_exported):
    onnxruntime.set_seed(0)
    for path in paths:
        Exported(load_exported(path)).predict(batches)


# The past is filled as the text grows: that the caller passes none does not say that nothing is trained.
def perturbed(model: nn.Module, context, past=None, steps=10):
    text = context
    for _ in range(steps):
        if past is None:
            past = model(text)
        if past is not None:
            shift = torch.zeros_like(past, requires_grad=True)
            loss = model(past + shift).mean()
            loss.backward()
            past = past + shift.grad
        text = past.detach()
    return text


def generate(model: nn.Module, contexts):
    for context in contexts:
        print(perturbed(model, context).tolist())


if __name__ == "__main__":
    resampled(["a.wav"], 16000)
    labels_of(["a"])
    generate(nn.Linear(4, 4), [torch.zeros(1, 4)])
