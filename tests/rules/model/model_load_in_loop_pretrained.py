import os

import torch
from flask import Flask, jsonify, request
from torchvision import models

app = Flask(__name__)
FOLDER = os.environ.get("FOLDER", "weights")
kept = models.resnet18(weights="DEFAULT").eval()


def load(folder, device="cpu"):
    net = models.resnet18(num_classes=3)  # expect: DP205
    net.load_state_dict(torch.load(f"{folder}/net.pt", weights_only=True, map_location=device))  # expect: DP205
    return net.eval()


@app.route("/a", methods=["POST"])
def pretrained():
    net = models.resnet50(weights="DEFAULT").eval()  # expect: DP205
    with torch.inference_mode():
        return jsonify(int(net(torch.tensor(request.json["x"])).argmax()))


@app.route("/b", methods=["POST"])
def loaded():
    net = load(FOLDER)
    with torch.inference_mode():
        return jsonify(int(net(torch.tensor(request.json["x"])).argmax()))


def load_named(name):
    return torch.load(f"{FOLDER}/{name}.pt", weights_only=True, map_location="cpu")


@app.route("/c", methods=["POST"])
def chosen():
    return jsonify(len(load_named(request.json["name"])))


@app.route("/d", methods=["POST"])
def right():
    with torch.inference_mode():
        return jsonify(int(kept(torch.tensor(request.json["x"])).argmax()))
