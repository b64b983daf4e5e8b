from fastai.text.all import Learner
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("gpt2").to("cuda")


def answer(ids):
    return model.generate(ids, max_new_tokens=50)


def tune(loaders, loss, callbacks):
    learn = Learner(loaders, model, loss_func=loss, cbs=callbacks)
    learn.fit_one_cycle(1, 1e-4)
    return learn
