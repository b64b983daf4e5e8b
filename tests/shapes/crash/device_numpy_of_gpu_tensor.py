# torch 1.13: TypeError: can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# needs a GPU
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.rand(3, 3).to(device)
array = x.numpy()  # expect: DP609  # fixed: array = x.cpu().numpy()
