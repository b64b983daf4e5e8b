import matplotlib.pyplot as plt
import torch


def plot(batches):
    for i, batch in enumerate(batches):
        plt.figure()  # expect: DP418
        plt.plot(torch.as_tensor(batch))
        plt.savefig(f"{i}.png")


def visual(batch, name):
    plt.figure()  # expect: DP418
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


def drawn(batch, name):
    plt.figure()  # hint: DP418
    plt.plot(batch)
    plt.savefig(name)


def run_and_close(loader):
    for i, batch in enumerate(loader):
        drawn(batch, f"{i}.pdf")
        plt.close("all")


def run(loader):
    for i, batch in enumerate(loader):
        visual(batch, f"{i}.pdf")


once(torch.zeros(3))


def replaced(picture, name):
    plt.figure()  # expect: DP418
    fig, ax = plt.subplots(1)
    ax.imshow(picture)
    plt.savefig(name)
    plt.close()


def kept_while_logging(loader, log):
    for i, batch in enumerate(loader):
        painted(batch, f"{i}.png")
    file = open(log, "w")
    file.write("done")
    file.close()


def painted(picture, name):
    plt.figure()  # expect: DP418
    plt.imshow(picture)
    plt.savefig(name)


def closed_both(picture, name):
    plt.figure()
    fig, ax = plt.subplots(1)
    ax.imshow(picture)
    plt.savefig(name)
    plt.close("all")


def draw_all(pictures):
    for i, picture in enumerate(pictures):
        replaced(picture, f"{i}.png")
        closed_both(picture, f"{i}.png")


def curve(values, path):
    plt.figure()  # hint: DP418
    plt.plot(values)
    plt.savefig(path)


def evaluated(values, plots):
    if plots:
        curve(values, "curve.png")


def epochs(values, plots, n):
    for epoch in range(n):
        evaluated(values, plots and epoch == n - 1)


def history(values, path):
    plt.figure()  # expect: DP418
    plt.plot(values)
    plt.savefig(path)


def every_tenth(values):
    for epoch in range(1000):
        if epoch % 10 == 0:
            history(values, f"{epoch}.png")


def run(values, number, plot):
    if plot:
        plt.figure(figsize=(24, 24))  # hint: DP418
        plt.plot(values)
        plt.savefig(f"run {number}.png")


def runs(values, plot):
    for number in range(100):
        run(values, number, plot)
