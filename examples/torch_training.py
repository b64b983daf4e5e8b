"""PyTorch: a training loop that waits for the GPU in every step, and runs out of memory in the end."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model: nn.Module, dataset: TensorDataset, epochs: int = 10) -> list[float]:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    # PLANTED: num_workers is 0, so loading and training alternate; pin_memory is off
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    history = []
    total_loss = 0
    for epoch in range(epochs):
        for step, (inputs, labels) in enumerate(loader):
            inputs, labels = inputs.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
            # PLANTED: a sum of tensors that keeps the graph of every step in memory (use loss.detach())
            total_loss += loss
            # PLANTED: .item() waits for the GPU in every step
            history.append(loss.item())
        print(f"epoch {epoch + 1}: {total_loss / (step + 1) = :.4f}")
    return history


def evaluate(model, loader, device):
    # PLANTED: no model.eval() and no torch.no_grad(): dropout stays on, and autograd graphs are recorded but never used
    hits = 0
    for inputs, labels in loader:
        hits += (model(inputs.to(device)).argmax(dim=1) == labels.to(device)).sum().item()
    return hits / len(loader.dataset)
