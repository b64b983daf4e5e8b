# torch 1.13: RuntimeError: Input type (unsigned char) and bias type (float) should be the same
import numpy as np
import torch
import torch.nn as nn

frame = np.zeros((84, 84), dtype=np.uint8)
state = np.stack([frame] * 4)
obs = torch.from_numpy(state).unsqueeze(0)  # fixed: obs = torch.from_numpy(state).unsqueeze(0).float() / 255
net = nn.Sequential(nn.Conv2d(4, 16, 8, stride=4), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 20 * 20, 6))
q = net(obs)  # expect: DP607
print(q.argmax())
