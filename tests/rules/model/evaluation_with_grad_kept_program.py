import torch
from sklearn.metrics import roc_auc_score


def collect(model, loader, device):
    scores, targets = [], []
    model.eval()
    for x, y in loader:
        scores.append(model(x.to(device, non_blocking=True)).squeeze(1))  # expect: DP232
        targets.append(y)
    return torch.cat(scores), torch.cat(targets)


def auc(model, loader, device):
    s, t = collect(model, loader, device)
    return roc_auc_score(t.numpy(), s.detach().sigmoid().cpu().numpy())


def main(loader, test_loader):
    device = torch.device("cuda")
    model = torch.nn.Sequential(torch.nn.Linear(100, 64), torch.nn.ReLU(), torch.nn.Dropout(), torch.nn.Linear(64, 1)).to(device)
    opt = torch.optim.Adam(model.parameters())
    loss_fn = torch.nn.BCEWithLogitsLoss()
    for epoch in range(20):
        model.train()
        for x, y in loader:
            x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
            opt.zero_grad()
            with torch.autocast("cuda", torch.bfloat16):
                loss = loss_fn(model(x).squeeze(1), y.float())
            loss.backward()
            opt.step()
        print("auc", auc(model, test_loader, device))
