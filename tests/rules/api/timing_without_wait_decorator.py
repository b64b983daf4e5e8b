"""A decorator that measures what it stands above."""
import functools
import time

import torch
from torchvision.models import resnet18

model = resnet18().cuda().eval()


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        print(time.perf_counter() - start)  # expect: DP154
        return result

    return wrapper


def timed_after_waiting(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        result = function(*args, **kwargs)
        torch.cuda.synchronize()
        print(time.perf_counter() - start)
        return result

    return wrapper


def timed_with_label(label):
    def decorate(function):
        def wrapper(*args):
            start = time.perf_counter()
            result = function(*args)
            seconds = time.perf_counter() - start  # expect: DP154
            print(label, seconds)
            return result

        return wrapper

    return decorate


def timed_reader(function):
    def wrapper(*args):
        start = time.perf_counter()
        result = function(*args)
        print(time.perf_counter() - start)
        return result

    return wrapper


@timed
@torch.inference_mode()
def forward(x):
    return model(x)


@timed_after_waiting
@torch.inference_mode()
def forward_waiting(x):
    return model(x)


@timed_with_label("forward")
@torch.inference_mode()
def forward_labelled(x):
    return model(x)


@timed_reader
@torch.inference_mode()
def predict(x):
    return model(x).argmax(dim=-1).tolist()
