import torch


def fit(model, epochs, train, evaluate):
    best_acc = 0
    for epoch in range(epochs):
        train(model)
        acc = evaluate(model)
        if acc > best_acc:  # expect: DP997
            torch.save(model.state_dict(), "best.pt")


def fit_loss(model, epochs, train, evaluate):
    best_loss = float("inf")
    for epoch in range(epochs):
        train(model)
        val_loss = evaluate(model)
        if epoch > 3 and best_loss > val_loss:  # expect: DP997
            print("better")
            model.save_pretrained("best")


class Trainer:
    def __init__(self, model):
        self.model = model
        self.best = -1.0
        self.best_right = -1.0

    def validated(self, f1):
        if f1 >= self.best:  # expect: DP997
            torch.save(self.model.state_dict(), "best.pt")

    def validated_right(self, f1):
        if f1 >= self.best_right:
            self.best_right = f1
            torch.save(self.model.state_dict(), "best.pt")


def right(model, epochs, train, evaluate):
    best_acc = 0
    start_epoch = 0
    threshold = 0.9
    best_loss = 100.0
    for epoch in range(epochs):
        train(model)
        acc, loss = evaluate(model)
        if acc > best_acc:
            torch.save(model.state_dict(), "best.pt")
        best_acc = max(acc, best_acc)
        if epoch > start_epoch:
            torch.save(model.state_dict(), "last.pt")
        if acc > threshold:
            torch.save(model.state_dict(), "good.pt")
        if loss < best_loss:
            best_loss = loss
            torch.save(model.state_dict(), "best.pt")
    return best_loss


def closure(model, epochs, evaluate):
    best = 0

    def update(value):
        nonlocal best
        best = value

    for epoch in range(epochs):
        acc = evaluate(model)
        if acc > best:
            update(acc)
            torch.save(model.state_dict(), "best.pt")


def only_prints(epochs, evaluate):
    best = 0
    for epoch in range(epochs):
        acc = evaluate()
        if acc > best:
            print("better than nothing")
