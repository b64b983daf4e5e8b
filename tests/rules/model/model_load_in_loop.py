import functools

import tensorflow_hub as hub
import torch
from tensorflow import keras
from transformers import AutoModel

PATH = "model.h5"


def fires(images, model):
    for image in images:
        model = keras.models.load_model(PATH)  # expect: DP205
        model.predict(image)
    for image in images:
        encoder = hub.load("https://tfhub.dev/google/universal-sentence-encoder/4")  # hint: DP205
        encoder(image)
    for image in images:
        net = AutoModel.from_pretrained("bert-base-uncased").eval()  # expect: DP205
        net(image)
    for image in images:
        weights = torch.load("weights.pt", weights_only=False)  # hint: DP205
        weights(image)
    for fold in images:
        model.load_state_dict(torch.load("weights.pt", weights_only=True))  # hint: DP205


def predict(image):
    model = keras.models.load_model("model.h5")  # expect: DP205
    return model.predict(image)


def caller(images):
    for image in images:
        predict(image)
        get_model()
        cached()
        load_named(image)


def get_model():
    model = keras.models.load_model("model.h5")
    return model


@functools.lru_cache
def cached():
    model = keras.models.load_model("model.h5")
    print(model)


def load_named(path):
    model = keras.models.load_model(path)
    print(model)


def silent(paths, names, images, model):
    for path in paths:
        keras.models.load_model(path)
    for name in names:
        AutoModel.from_pretrained(name)
    for cls in names:
        cls.from_pretrained("bert-base-uncased")
    loaded = torch.load("weights.pt", weights_only=False)
    for image in images:
        loaded(image)
    for epoch in images:
        torch.save(model, "best.pt")
        best = torch.load("best.pt", weights_only=False)
        print(best)
    for image in images:
        if model is None:
            model = torch.load("weights.pt", weights_only=False)
    for i in range(2):
        print(torch.load("weights.pt", weights_only=False))
