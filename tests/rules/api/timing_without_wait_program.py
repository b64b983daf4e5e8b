import time
import torch
import torch.nn.functional as F


def measure(fn, repeat=100):
    for _ in range(5):
        fn()
    t0 = time.time()
    for _ in range(repeat):
        fn()
    return (time.time() - t0) / repeat  # expect: DP154


q = torch.randn(8, 16, 1024, 64, device="cuda", dtype=torch.float16)
k = torch.randn_like(q)
v = torch.randn_like(q)
sdpa = measure(lambda: F.scaled_dot_product_attention(q, k, v))
eager = measure(lambda: torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v)
print(f"sdpa {sdpa * 1e3:.3f} ms, eager {eager * 1e3:.3f} ms")
