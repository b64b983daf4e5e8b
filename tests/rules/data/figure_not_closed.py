import matplotlib.pyplot as plt
import torch


def plot(batches):
    for i, batch in enumerate(batches):
        plt.figure()  # hint: DP418
        plt.plot(torch.as_tensor(batch))
        plt.savefig(f"{i}.png")


def visual(batch, name):
    plt.figure()  # hint: DP418
    plt.plot(batch)
    plt.savefig(name)


def closed(batches):
    for i, batch in enumerate(batches):
        figure, axes = plt.subplots()
        axes.plot(batch)
        figure.savefig(f"{i}.png")
        plt.close(figure)


def once(batch):
    plt.figure()
    plt.plot(batch)
    plt.savefig("x.png")


def run(loader):
    for i, batch in enumerate(loader):
        visual(batch, f"{i}.pdf")


once(torch.zeros(3))
