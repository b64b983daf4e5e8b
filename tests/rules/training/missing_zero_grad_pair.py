# Two optimizers that both take a step, of which only one is cleared.
import torch
from torch import nn


class Finetuning:
    def __init__(self, body, top):
        self.body, self.top = body, top
        self.body_sgd = torch.optim.SGD(body.parameters(), lr=0.01)
        self.top_adam = torch.optim.AdamW(top.parameters(), lr=0.001)
        self.decay = torch.optim.lr_scheduler.StepLR(self.body_sgd, 10)

    def step(self, x, y):
        self.body_sgd.zero_grad()
        loss = nn.functional.cross_entropy(self.top(self.body(x)), y)
        loss.backward()
        self.body_sgd.step()
        self.top_adam.step()  # expect: DP805
        self.decay.step()

    def run(self, loader):
        for x, y in loader:
            self.step(x, y)


def clipped(encoder, decoder, loader):
    first_one = torch.optim.Adam(encoder.parameters())
    second_one = torch.optim.Adam(decoder.parameters())
    for x in loader:
        first_one.zero_grad()
        loss = (decoder(encoder(x)) - x).square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        first_one.step()
        second_one.step()  # expect: DP805


# ---- silent


def both(encoder, decoder, loader):
    enc_opt = torch.optim.Adam(encoder.parameters())
    dec_opt = torch.optim.Adam(decoder.parameters())
    for x in loader:
        enc_opt.zero_grad()
        dec_opt.zero_grad()
        (decoder(encoder(x)) - x).square().mean().backward()
        enc_opt.step()
        dec_opt.step()


def all_of_the_model(model, loader):
    left = torch.optim.Adam(model.left.parameters())
    right = torch.optim.Adam(model.right.parameters())
    for x in loader:
        model.zero_grad()
        model(x).backward()
        left.step()
        right.step()


def with_scheduler(model, loader, adam, schedule):
    for x in loader:
        adam.zero_grad()
        model(x).backward()
        adam.step()
        schedule.step()


def in_a_loop(a, b, loader):
    one_opt = torch.optim.Adam(a.parameters())
    two_opt = torch.optim.Adam(b.parameters())
    for x in loader:
        for each in (one_opt, two_opt):
            each.zero_grad()
        a(b(x)).backward()
        one_opt.step()
        two_opt.step()
