# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x100 and 64x10)
import torch

batch_size, d_in, hidden, d_out = 64, 1000, 100, 10
x = torch.randn(batch_size, d_in)
y = torch.randn(batch_size, d_out)
w1 = torch.randn(d_in, hidden)
w2 = torch.randn(hidden, d_out)
learning_rate = 1e-6
for t in range(5):
    h = x.mm(w1)
    h_relu = h.clamp(min=0)
    y_pred = h_relu.mm(w2)
    loss = (y_pred - y).pow(2).sum().item()
    grad_y_pred = 2.0 * (y_pred - y)
    grad_w2 = h_relu.mm(grad_y_pred)  # expect: DP602  # fixed: grad_w2 = h_relu.t().mm(grad_y_pred)
    w2 -= learning_rate * grad_w2
