# What servers, task queues and platforms call for every request, and what they depend on.
from functools import lru_cache

import gradio as gr
import torch
from celery import Celery, shared_task
from diffusers import StableDiffusionPipeline
from fastapi import Depends, FastAPI, Request
from rest_framework.views import APIView
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

app = FastAPI()
queue = Celery("tasks")
NAME = "facebook/bart-large-cnn"


def device():
    return 0 if torch.cuda.is_available() else -1


def get_summarizer():
    return pipeline("text-classification", model=NAME, device=device())  # expect: DP205


@lru_cache(maxsize=1)
def get_cached():
    return pipeline("text-classification", model=NAME, device=device())


@app.post("/summary")
def summary(text: str, summarizer=Depends(get_summarizer)):
    return summarizer(text)


@app.post("/fast")
def fast(text: str, summarizer=Depends(get_cached)):
    return summarizer(text)


class Writer:
    def __init__(self):
        self.tokenizer = AutoTokenizer.from_pretrained("gpt2")  # expect: DP205
        self.model = AutoModelForCausalLM.from_pretrained("gpt2", torch_dtype=torch.float16)  # expect: DP205


@app.get("/write")
def write(prompt: str, writer: Writer = Depends(Writer)):
    return writer.tokenizer(prompt)


class Service:
    def __init__(self, name):
        self.name = name
        self.other = name

    def pipe(self):
        return pipeline("text-classification", model=self.name)  # expect: DP205

    def run(self, text):
        return self.pipe()(text)

    def switch(self, name):
        self.other = name

    def run_other(self, text):
        return pipeline("text-classification", model=self.other)(text)


service = Service("x/y")


@app.post("/classify")
def classify(text: str):
    return service.run(text)


@app.post("/classify/other")
def classify_other(text: str):
    return service.run_other(text)


def build(model_id):
    pipe = StableDiffusionPipeline.from_pretrained(model_id, torch_dtype=torch.float16)  # expect: DP205
    pipe.scheduler = None
    return pipe.to("cuda")


class Painter:
    def __init__(self, model_id="runwayml/stable-diffusion-v1-5"):
        self.model_id = model_id

    def paint(self, prompt):
        pipe = build(self.model_id)
        return pipe(prompt).images[0]


painter = Painter()


@app.post("/paint")
def paint(prompt: str):
    painter.paint(prompt).save("out.png")


@queue.task
def summarize_later(text):
    pipe = pipeline("text-classification", model=NAME, device=0)  # expect: DP205
    return pipe(text)


@shared_task
def summarize_shared(text):
    return pipeline("text-classification", model=NAME, device=0)(text)  # expect: DP205


def lambda_handler(event, context):
    return pipeline("text-classification", model=NAME)(event["text"])  # expect: DP205


class View(APIView):
    def post(self, request):
        return pipeline("text-classification", model=NAME)(request.data["text"])  # expect: DP205

    def describe(self):
        return pipeline("text-classification", model=NAME)


def answer(prompt):
    return pipeline("text-generation", model="gpt2", device=0)(prompt)  # expect: DP205


gr.Interface(fn=answer, inputs="text", outputs="text").launch()


def chosen(request: Request, name: str):
    return pipeline("text-classification", model=name)


@app.post("/chosen")
def use_chosen(text: str, summarizer=Depends(chosen)):
    return summarizer(text)
