import torch
from fastapi import FastAPI
from transformers import AutoModelForSequenceClassification

app = FastAPI()


class Service:
    def __init__(self, path):
        self.net = AutoModelForSequenceClassification.from_pretrained(path).eval()

    @torch.inference_mode()
    def __call__(self, ids):
        return self.net(ids).logits.tolist()


service = Service("checkpoint")


@app.post("/classify")
def classify(ids: list[int]):
    again = Service("checkpoint")  # expect: DP205
    return again(torch.tensor([ids]))


@app.post("/kept")
def kept(ids: list[int]):
    return service(torch.tensor([ids]))


@app.post("/chosen")
def chosen(path: str, ids: list[int]):
    return Service(path)(torch.tensor([ids]))
