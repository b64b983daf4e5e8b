import logging
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import Pool
from multiprocessing.pool import ThreadPool

import numpy as np
import torch


def convert(path):
    torch.save(torch.from_numpy(np.load(path)), path + ".pt")
    return path


def careful(path):
    try:
        convert(path)
    except OSError:
        logging.exception(path)


def statement(paths):
    pool = Pool(4)
    for path in paths:
        pool.apply_async(convert, (path,))  # expect: DP175
    pool.close()
    pool.join()


def listed(paths):
    pool = mp.Pool(4)
    results = [pool.apply_async(convert, args=(path,)) for path in paths]  # expect: DP175
    pool.close()
    pool.join()


def appended(paths):
    pool = torch.multiprocessing.Pool(4)
    results = []
    for path in paths:
        results.append(pool.apply_async(convert, (path,)))  # expect: DP175
    pool.close()
    pool.join()


def terminated(paths):
    with Pool(4) as pool:
        for path in paths:
            pool.apply_async(careful, (path,))  # expect: DP175


def executor(paths):
    with ProcessPoolExecutor(4) as pool:
        for path in paths:
            pool.submit(convert, path)  # hint: DP175


class Converter:
    def __init__(self):
        self.pool = Pool(2)

    def run(self, path):
        self.pool.apply_async(convert, (path,))  # expect: DP175


def threads(paths):
    pool = ThreadPool(4)
    for path in paths:
        pool.apply_async(convert, (path,))  # hint: DP175
    pool.close()
    pool.join()


def read(paths):
    pool = Pool(4)
    results = [pool.apply_async(convert, (path,)) for path in paths]
    done = [result.get() for result in results]
    with Pool(4) as second:
        waiting = []
        for path in paths:
            waiting.append(second.apply_async(convert, (path,)))
        for result in waiting:
            result.wait()
    for path in paths:
        pool.apply_async(careful, (path,))
        pool.apply_async(convert, (path,), error_callback=print)
    with Pool(4) as third:
        for path in paths:
            third.apply_async(careful, (path,))
        third.close()
        third.join()
    with ProcessPoolExecutor(4) as fourth:
        futures = [fourth.submit(convert, path) for path in paths]
        done += [future.result() for future in futures]
    return done


def unknown(pool, executor, paths):
    for path in paths:
        pool.apply_async(convert, (path,))
        executor.submit(convert, path)
