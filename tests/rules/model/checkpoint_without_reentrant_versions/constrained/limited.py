from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def forward(f, net, x):
    a = checkpoint(f, x)  # hint: DP242
    return a, checkpoint_sequential(net, 2, x)
