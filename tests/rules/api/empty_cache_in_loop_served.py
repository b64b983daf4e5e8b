import torch
from flask import Flask, request
from transformers import pipeline

app = Flask(__name__)
write = pipeline("text-generation", model="gpt2", device=0)


@app.post("/write")
def answer():
    found = write(request.json["prompt"])
    torch.cuda.empty_cache()  # expect: DP134
    return found[0]


@app.post("/reset")
def reset():
    if request.json["now"]:
        torch.cuda.empty_cache()
    return "done"
