from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import Pool
from multiprocessing.dummy import Pool as Threads
from multiprocessing.pool import ThreadPool

import numpy as np
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


def flip(image):
    return image[:, ::-1].copy()


def in_loop(model, optimizer, loader: DataLoader):
    for images, labels in loader:
        with Pool(4) as pool:  # expect: DP470
            flipped = pool.map(flip, images.numpy())
        loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(np.stack(flipped))), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Augment:
    def __init__(self, workers):
        self.workers = workers

    def apply(self, images):
        pool = mp.Pool(self.workers)  # expect: DP470
        out = pool.map(flip, images)
        pool.close()
        pool.join()
        return torch.from_numpy(np.stack(out))


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.augment = Augment(4)

    def fit(self, loader: DataLoader):
        for images, labels in loader:
            images = self.augment.apply(images.numpy())
            loss = torch.nn.functional.cross_entropy(self.model(images), labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


class Volumes(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        with ProcessPoolExecutor(max_workers=2) as pool:  # expect: DP470
            slices = list(pool.map(np.load, self.paths[index]))
        with ThreadPoolExecutor() as pool:  # hint: DP470
            others = list(pool.map(np.load, self.paths[index]))
        return np.stack(slices + others)


@torch.no_grad()
def evaluate(model, loader: DataLoader):
    scores = []
    for images in loader:
        with ThreadPool(4) as pool:  # hint: DP470
            scores += pool.map(float, model(images).mean(1).tolist())
    return scores


# ---- Silent


def one_pool(model, optimizer, loader: DataLoader, epochs):
    with Pool(4) as pool:
        for epoch in range(epochs):
            for images, labels in loader:
                flipped = pool.map(flip, images.numpy())
                loss = torch.nn.functional.cross_entropy(model(torch.from_numpy(np.stack(flipped))), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


def prepare(folders):
    for folder in folders:
        with Pool() as pool:
            pool.map(np.load, folder)


class Lazy(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self.pool = None

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        if self.pool is None:
            self.pool = ThreadPoolExecutor(4)
        return np.stack(list(self.pool.map(np.load, self.paths[index])))


class Collate:
    def __call__(self, samples):
        with Pool(2) as pool:  # expect: DP470
            return np.stack(pool.map(flip, samples))


def collated(samples):
    return DataLoader(samples, batch_size=8, collate_fn=Collate())  # hint: DP130


class CollateInThreads:
    def __call__(self, samples):
        with Threads(2) as pool:  # hint: DP470
            return np.stack(pool.map(flip, samples))


def collated_in_threads(samples):
    return DataLoader(samples, batch_size=8, collate_fn=CollateInThreads())  # hint: DP130
