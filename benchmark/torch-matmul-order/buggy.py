import torch

SIZE = 900
STEPS = 4

torch.manual_seed(0)
rotation = torch.randn(SIZE, SIZE) / SIZE ** 0.5
mixing = torch.randn(SIZE, SIZE) / SIZE ** 0.5
state = torch.randn(SIZE)
energies = []
for step in range(STEPS):
    state = torch.einsum("ij,jk,k->i", rotation, mixing, state)
    energies.append(state.norm().item())

result = energies
