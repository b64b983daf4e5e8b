# Models that a server keeps, in an object of the application and in a registry.
import torch
import torchvision
from fastapi import FastAPI, Request
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.Dropout(0.3))

    def forward(self, x):
        return self.layers(x)


class Registry:
    def __init__(self):
        self._models = {}

    def register(self, name, path):
        model = Net()
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        self._models[name] = model

    def __getitem__(self, name):
        return self._models[name]


class Classifier:
    def __init__(self):
        self.net = torchvision.models.resnet18()
        self.net.load_state_dict(torch.load("resnet.pt", map_location="cpu", weights_only=True))

    @torch.inference_mode()
    def predict(self, images):
        return self.net(images).argmax(1)  # expect: DP813


app = FastAPI()
app.state.classifier = Classifier()
registry = Registry()
registry.register("cars", "cars.pt")


@app.post("/predict")
def predict(request: Request, images: list):
    return request.app.state.classifier.predict(torch.tensor(images)).tolist()


@app.post("/classify")
def classify(name: str, values: list):
    with torch.inference_mode():
        scores = registry[name](torch.tensor(values))  # expect: DP813
    return scores.tolist()
