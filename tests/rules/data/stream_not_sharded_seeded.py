# Shuffling changes the order only, and a generator with a seed gives every worker the same numbers.
import random

import numpy as np
from torch.utils.data import DataLoader, IterableDataset


class Shuffled(IterableDataset):
    def __init__(self, paths, seed):
        self.paths = paths
        self.seed = seed

    def _files(self):
        files = list(self.paths)
        random.Random(self.seed).shuffle(files)
        return files

    def __iter__(self):
        rng = random.Random(self.seed)
        held = []
        for path in self._files():
            with open(path) as file:
                for line in file:
                    if len(held) < 100:
                        held.append(line)
                        continue
                    slot = rng.randrange(len(held))
                    held[slot], line = line, held[slot]
                    yield line


class Buffered(IterableDataset):
    def __init__(self, paths):
        self.paths = paths
        self.rng = np.random.default_rng(7)

    def __iter__(self):
        held = []
        for path in self.paths:
            with open(path) as file:
                held.extend(file)
        self.rng.shuffle(held)
        yield held[self.rng.integers(len(held))]
        yield from held


class Drawn(IterableDataset):
    def __init__(self, lines):
        self.lines = lines

    def __iter__(self):
        while True:
            yield random.choice(self.lines)


shuffled = DataLoader(Shuffled(["a", "b"], 3), batch_size=8, num_workers=4, persistent_workers=True)  # expect: DP427
buffered = DataLoader(Buffered(["a", "b"]), batch_size=8, num_workers=4, persistent_workers=True)  # expect: DP427
drawn = DataLoader(Drawn(["a", "b"]), batch_size=8, num_workers=4, persistent_workers=True)
