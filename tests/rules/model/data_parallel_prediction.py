# A script that only runs a trained model.
import torch

model = torch.nn.DataParallel(torch.nn.Linear(3, 2))  # hint: DP240
model.load_state_dict(torch.load("weights.pt", weights_only=True))
model.eval()
with torch.no_grad():
    print(model(torch.zeros(1, 3)))
