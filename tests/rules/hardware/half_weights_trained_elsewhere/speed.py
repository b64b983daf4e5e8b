import torch
from block import Block

block = Block(4096)
block.to(dtype=torch.float16).cuda()
out = block(torch.randn(8, 4096, dtype=torch.float16, device="cuda"))
