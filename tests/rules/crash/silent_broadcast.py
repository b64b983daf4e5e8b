import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(8, 4)
labels = torch.randn(8)
predicted = nn.Linear(4, 1)(x)
F.mse_loss(predicted, labels)  # expect: DP606
F.mse_loss(predicted.squeeze(1), labels)
F.mse_loss(predicted, labels.unsqueeze(1))


def of_fitted_data():
    from sklearn.datasets import fetch_california_housing
    from sklearn.preprocessing import StandardScaler
    from torch.utils.data import DataLoader, TensorDataset

    features, prices = fetch_california_housing(return_X_y=True)
    scaler = StandardScaler().fit(features)
    features = torch.tensor(scaler.transform(features), dtype=torch.float32)
    prices = torch.tensor(prices, dtype=torch.float32)
    model = nn.Linear(8, 1)
    for x, y in DataLoader(TensorDataset(features, prices), batch_size=64, num_workers=0):
        F.mse_loss(model(x), y).backward()  # expect: DP606
        F.mse_loss(model(x).squeeze(1), y).backward()
