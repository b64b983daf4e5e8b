import jax
import jax.numpy as jnp
import numpy as np

table = np.load("table.npy")


@jax.jit
def lookup(keys, query):
    return keys @ query


def in_the_loop(queries):
    results = []
    for query in queries:
        keys = jax.device_put(table)  # expect: DP125
        results.append(lookup(keys, query))
    return results


class Memory:
    def __init__(self, path):
        self.keys = np.asarray(np.load(path), dtype=np.float32)
        self.values = jnp.asarray(np.load(path))

    def ask(self, query):
        return jnp.asarray(self.keys) @ query  # expect: DP125

    def ask_well(self, query):
        return jnp.asarray(self.values) @ query

    def ask_all(self, queries):
        for query in queries:
            print(self.ask(query), self.ask_well(query))


def once(queries, batches):
    keys = jax.device_put(table)
    for query, batch in zip(queries, batches):
        part = np.asarray(batch)
        print(lookup(keys, query), jnp.asarray(part))  # hint: DP116
