import random
from functools import partial

import numpy as np
import torch
from torch.utils.data import DataLoader

SEED = 7


def constant(worker_id):
    np.random.seed(42)  # expect: DP867


def from_global(worker_id):
    random.seed(SEED)  # expect: DP867
    np.random.seed(SEED)


def seed_everything(seed):
    random.seed(seed)  # expect: DP867
    np.random.seed(seed)
    torch.manual_seed(seed)


def through_helper(worker_id):
    seed_everything(SEED)


def for_evaluation(worker_id):
    np.random.seed(0)  # hint: DP867


def loaders(dataset):
    kept = {"batch_size": 8, "num_workers": 4, "persistent_workers": True}
    return [
        DataLoader(dataset, shuffle=True, worker_init_fn=constant, **kept),
        DataLoader(dataset, shuffle=True, worker_init_fn=from_global, **kept),
        DataLoader(dataset, shuffle=True, worker_init_fn=through_helper, **kept),
        DataLoader(dataset, shuffle=True, worker_init_fn=lambda _: np.random.seed(SEED + 1), **kept),  # expect: DP867
        DataLoader(dataset, worker_init_fn=for_evaluation, **kept),
    ]


def by_worker(worker_id):
    np.random.seed(SEED + worker_id)


def by_torch(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)


def by_info(worker_id):
    info = torch.utils.data.get_worker_info()
    random.seed(info.seed)


def one_of_two(worker_id):
    torch.manual_seed(0)
    np.random.seed(worker_id)


def by_helper(worker_id):
    seed_for(SEED, worker_id)


def seed_for(seed, rank):
    np.random.seed(seed + rank)


def with_rank(worker_id, rank):
    np.random.seed(rank)


def others(dataset, rank):
    kept = {"batch_size": 8, "shuffle": True, "num_workers": 4, "persistent_workers": True}
    return [
        DataLoader(dataset, worker_init_fn=by_worker, **kept),
        DataLoader(dataset, worker_init_fn=by_torch, **kept),
        DataLoader(dataset, worker_init_fn=by_info, **kept),
        DataLoader(dataset, worker_init_fn=one_of_two, **kept),
        DataLoader(dataset, worker_init_fn=by_helper, **kept),
        DataLoader(dataset, worker_init_fn=partial(with_rank, rank=rank), **kept),
        DataLoader(dataset, worker_init_fn=None, **kept),
    ]
