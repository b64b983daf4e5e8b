from torch.utils.data import DataLoader, TensorDataset


def fires(x, y):
    return DataLoader(TensorDataset(x, y))  # expect: DP425


def silent(x, y, dataset, sampler, options):
    a = DataLoader(TensorDataset(x, y), batch_size=64)
    b = DataLoader(TensorDataset(x, y), 64)
    c = DataLoader(TensorDataset(x, y), batch_size=1)
    d = DataLoader(TensorDataset(x, y), batch_sampler=sampler)
    e = DataLoader(TensorDataset(x, y), **options)
    f = DataLoader(dataset, num_workers=2)
    return a, b, c, d, e, f
