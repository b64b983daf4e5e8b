import sys


def functions():
    return {"_CAPI_Add": lambda a, b: a + b}


def init_api(name):
    fill(name, functions())


def fill(name, found):
    module = sys.modules[name]
    for key, value in found.items():
        setattr(module, key, value)


def describe(name):
    print(name)
