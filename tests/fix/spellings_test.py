#!/usr/bin/env python3
"""What --fix makes of spellings that are easy to get wrong.

usage: spellings_test.py DEEPPERF_BINARY [UNITTEST_ARGUMENT...]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERAS = "from tensorflow import keras\n\nmodel = keras.Sequential([keras.layers.Dense(1)])\n"
NEW_KERAS = {"requirements.txt": "tensorflow>=2.17\n"}
PIPELINE = "def load(path):\n    return tf.io.decode_jpeg(tf.io.read_file(path))\n\n\nds = tf.data.Dataset.list_files('*.jpg')"
VARIABLE = "import torch\nfrom torch.autograd import Variable\n\n\n"
NEW_TORCH = {"requirements.txt": "torch>=1.12\n"}


class Spellings(unittest.TestCase):
    maxDiff = None

    def fixed(self, before, *options, more=None, name="train.py"):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for path, text in {**(more or {}), name: before}.items():
                (folder / path).write_bytes(text if isinstance(text, bytes) else text.encode())
            result = subprocess.run([BINARY, "check", "--hints", "--fix", *options, "."], cwd=folder, capture_output=True,
                                    env={**os.environ, "XDG_CACHE_HOME": os.devnull}, encoding="utf-8")
            self.assertIn(result.returncode, (0, 1), result.stderr)
            after = (folder / name).read_bytes()
            return after if isinstance(before, bytes) else after.decode()

    def assert_fixed(self, before, after, *options, more=None):
        self.assertEqual(self.fixed(before, *options, more=more), after)

    def assert_call(self, before, after, *options, more=NEW_KERAS):
        self.assert_fixed(f"{KERAS}model.{before}\n", f"{KERAS}model.{after}\n", "--select", "DP304", *options, more=more)

    # ---- DP304

    def test_generator_methods(self):
        self.assert_call("fit_generator(g, 100)", "fit(g, steps_per_epoch=100)")
        self.assert_call("fit_generator(g, 100, 5, 2, validation_data=v)",
                         "fit(g, steps_per_epoch=100, epochs=5, verbose=2, validation_data=v)")
        self.assert_call("fit_generator(generator=g, epochs=3, shuffle=False)", "fit(x=g, epochs=3, shuffle=False)")
        self.assert_call("fit_generator(g, max_queue_size=20, workers=1, use_multiprocessing=False)", "fit(g)")
        self.assert_call("fit_generator(g, max_queue_size=20, epochs=2)", "fit(g, epochs=2)")
        self.assert_call("evaluate_generator(g, 10)", "evaluate(g, steps=10, verbose=0)")
        self.assert_call("evaluate_generator(g, workers=1)", "evaluate(g, verbose=0)")
        self.assert_call("predict_generator(g, verbose=1)", "predict(g, verbose=1)")
        self.assert_call("predict_proba(x, 32)", "predict(x, 32, verbose=0)")

    def test_generator_methods_over_several_lines(self):
        self.assert_call("fit_generator(\n    g,\n    steps_per_epoch=10,  # an epoch\n    workers=1,\n)",
                         "fit_generator(\n    g,\n    steps_per_epoch=10,  # an epoch\n    workers=1,\n)")
        self.assert_call("fit_generator(\n    g,\n    epochs=10,\n    workers=1,\n)", "fit(\n    g,\n    epochs=10,\n)")

    def test_generator_methods_that_lose_something(self):
        for call in ("fit_generator(g, workers=4)", "fit_generator(g, use_multiprocessing=True)",
                     "fit_generator(g, workers=count())"):
            self.assert_call(call, call)
            self.assert_call(call, "fit(g)", "--unsafe-fixes")

    def test_generator_methods_that_nobody_can_translate(self):
        for call in ("fit_generator(*args)", "fit_generator(g, **options)", "fit_generator(g, samples_per_epoch=100)",
                     "fit_generator(g, 1, 2, 1, None, v, 3, None)", "evaluate_generator(g, 1, 10)", "predict_classes(x)"):
            self.assert_call(call, call, "--unsafe-fixes")

    # ---- The project's own spelling

    def assert_autotune(self, spelling, requirements=None, imports="import tensorflow as tf"):
        more = {"requirements.txt": requirements} if requirements else None
        before = f"{imports}\n\n\n{PIPELINE}.map(load)\n"
        after = before.replace(".map(load)", f".map(load, num_parallel_calls={spelling})" if spelling else ".map(load)")
        self.assert_fixed(before, after, "--select", "DP101", more=more)

    def test_autotune(self):
        self.assert_autotune("tf.data.AUTOTUNE")
        self.assert_autotune("tf.data.AUTOTUNE", "tensorflow>=2.6\n")
        self.assert_autotune("tf.data.experimental.AUTOTUNE", "tensorflow<2.4\n")
        self.assert_autotune("tf.data.experimental.AUTOTUNE", "tensorflow==2.1\n")
        self.assert_autotune("tf.data.experimental.AUTOTUNE", "tensorflow>=2.0\n")
        self.assert_autotune(None, "tensorflow==1.12\n")
        self.assert_autotune("tf.data.experimental.AUTOTUNE",
                             imports="import tensorflow as tf\n\nAUTO = tf.data.experimental.AUTOTUNE")

    def test_map_of_random_or_stateful_functions(self):
        for body in ("tf.image.random_flip_left_right(x)", "tf.py_function(count, [x], tf.float32)", "helper.apply(x)"):
            before = (f"import helper\nimport tensorflow as tf\n\nds = tf.data.Dataset.list_files('*.jpg')\n"
                      f"ds = ds.map(lambda x: tf.io.decode_jpeg(tf.io.read_file({body})))\n")
            self.assert_fixed(before, before, "--select", "DP101")

    # ---- DP301

    def test_builtin_that_is_rebound(self):
        for binding in ("def f(float):\n    return np.float\n", "float = 1\nx = np.float\n",
                        "from helper import *\nx = np.float\n", "class A:\n    float = 2\n    x = np.float\n",
                        "x = [np.float for float in range(3)]\n"):
            before = f"import numpy as np\nimport torch\n\n\n{binding}"
            self.assert_fixed(before, before, "--select", "DP301", "--unsafe-fixes")
        self.assert_fixed("import numpy as np\nimport torch\n\nx = np.zeros(3, np.float)\n",
                          "import numpy as np\nimport torch\n\nx = np.zeros(3, float)\n", "--select", "DP301")

    def test_library_whose_name_is_hidden(self):
        before = "import numpy as np\nimport torch\nfrom numpy import product\n\n\ndef f(x, np):\n    return product(x) + np\n"
        # The import says what the name means, so that its uses need no spelling.
        after = before.replace("import product\n", "import prod as product\n")
        self.assert_fixed(before, after, "--select", "DP301", "--unsafe-fixes")

    def test_bool_of_numpy_2(self):
        before = "import numpy as np\nimport torch\n\nprint(isinstance(x, np.bool))\n"
        self.assert_fixed(before, before, "--select", "DP301")
        self.assert_fixed(before, before.replace("np.bool", "bool").replace("import numpy as np\n", ""), "--select", "DP301",
                          more={"requirements.txt": "numpy>=1.24,<2\n"})

    # ---- Imports that a fix leaves without use, and statements that it leaves without effect

    def test_unused_imports(self):
        self.assert_fixed(VARIABLE + "def f(x):\n    return Variable(x) + torch.ones(1)\n",
                          "import torch\n\n\ndef f(x):\n    return x + torch.ones(1)\n",
                          "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)
        self.assert_fixed("import torch\nfrom torch.autograd import Function, Variable, grad\n\nuse(Function, grad, Variable(torch.ones(1)))\n",
                          "import torch\nfrom torch.autograd import Function, grad\n\nuse(Function, grad, torch.ones(1))\n",
                          "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)

    def test_imports_that_somebody_needs(self):
        body = "def f(x):\n    return Variable(x) + torch.ones(1)\n"
        for more in ("__all__ = ['Variable', 'f']\n", "def g(x: 'Variable'): ...\n", "# type: Variable\n",
                     "exec(code)\n"):
            fixed = self.fixed(VARIABLE + body + more, "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)
            self.assertEqual(fixed, VARIABLE + body.replace("Variable(x)", "x") + more)
        for other in ("from train import *\n", "from train import Variable\n", "import train\n\nprint(train.Variable)\n"):
            fixed = self.fixed(VARIABLE + body, "--unsafe-fixes", "--select", "DP302", more={**NEW_TORCH, "main.py": other})
            self.assertEqual(fixed, VARIABLE + body.replace("Variable(x)", "x"), other)
        fixed = self.fixed(VARIABLE + body, "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH, name="__init__.py")
        self.assertEqual(fixed, VARIABLE + body.replace("Variable(x)", "x"))

    def test_nothing_is_set_to_itself(self):
        self.assert_fixed(VARIABLE + "def f(x):\n    x = Variable(x)\n    return x + torch.ones(1)\n",
                          "import torch\n\n\ndef f(x):\n    return x + torch.ones(1)\n",
                          "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)
        alone = VARIABLE + "def f(x):\n    if x:\n        x = Variable(x)\n    return x\n"
        self.assert_fixed(alone, alone, "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)

    # ---- Text around the edit

    def test_comments_stay(self):
        before = VARIABLE + "x = Variable(\n    torch.ones(1)  # the only one\n)\n"
        self.assert_fixed(before, before, "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)

    def test_lines_stay_whole(self):
        before = VARIABLE + "def f(x):\n    y = Variable(x\n                 [0])\n    return y\n"
        self.assert_fixed(before, before, "--unsafe-fixes", "--select", "DP302", more=NEW_TORCH)

    def test_quotes_in_formatted_strings(self):
        before = "import torchvision\n\nprint(f\"{torchvision.models.resnet18(pretrained=True)}\")\n"
        self.assert_fixed(before, before, "--select", "DP303", more={"requirements.txt": "torchvision>=0.15\n"})
        before = "import numpy as np\nimport torch\n\nprint(f\"{np.NaN} {np.ones(3, np.float)}\")\n"
        self.assert_fixed(before, before.replace("NaN", "nan").replace("np.float", "float"), "--select", "DP301")

    def test_weights_of_torchvision(self):
        def assert_weights(call, fixed, *options):
            before = f"import torchvision\n\nmodel = torchvision.models.{call}\n"
            self.assert_fixed(before, f"import torchvision\n\nmodel = torchvision.models.{fixed}\n", "--select", "DP303",
                              *options, more={"requirements.txt": "torchvision>=0.15\n"})
        assert_weights("resnet50(pretrained=True)", 'resnet50(weights="IMAGENET1K_V1")')
        assert_weights("resnet50(pretrained=False)", "resnet50(weights=None)")
        for call in ("detection.fasterrcnn_resnet50_fpn(pretrained=True)", "resnet50(pretrained=True, weights=None)",
                     "resnet50(pretrained=(p := True))"):
            assert_weights(call, call, "--unsafe-fixes")

    def test_keyword_that_is_there_already(self):
        before = "import tensorflow as tf\n\nopt = tf.keras.optimizers.Adam(lr=0.1, learning_rate=0.2)\n"
        self.assert_fixed(before, before, "--select", "DP303", "--unsafe-fixes", more=NEW_KERAS)

    def test_line_ends_and_encodings(self):
        before = "import numpy as np\r\nimport torch\r\n\r\nx = np.NaN  # \xe4\r\n"
        self.assert_fixed(before.encode(), before.replace("NaN", "nan").encode(), "--select", "DP301")
        old = "# -*- coding: latin-1 -*-\n" + before.replace("\r\n", "\n")
        self.assert_fixed(old.encode("latin-1"), old.replace("NaN", "nan").encode("latin-1"), "--select", "DP301")

    def test_super_of_python_2(self):
        before = ("import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
                  "        self.a = nn.Linear(1, 1)\n        print 'made'\n")
        after = before.replace("        self.a", "        super(Net, self).__init__()\n        self.a")
        self.assert_fixed(before, after, "--select", "DP812")

    def test_notebook_with_magics(self):
        lines = ["%matplotlib inline\n", "!pip install torch\n", "import numpy as np\n", "import torch\n", "%time x = np.NaN\n",
                 "y = np.Inf"]
        notebook = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                                          "source": lines}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
        fixed = json.loads(self.fixed(notebook, "--select", "DP301", name="a.ipynb"))
        self.assertEqual(fixed["cells"][0]["source"], [*lines[:4], "%time x = np.nan\n", "y = np.inf"])


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
