# An optimizer that runs the backward pass scales the loss itself.
import torch


class Task:
    def train_step(self, sample, model, criterion, optimizer):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model, sample)
        optimizer.backward(loss)
        return loss

    def plain_step(self, sample, model, criterion, optimizer):
        with torch.autocast("cuda", dtype=torch.float16):  # expect: DP501
            loss = criterion(model, sample)
        loss.backward()
        optimizer.step()
