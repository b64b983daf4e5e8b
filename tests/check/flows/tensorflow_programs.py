"""The same for TensorFlow: a training loop with a GradientTape and a tf.data pipeline in several structures, and mistakes that are planted into each."""
import dataclasses

from .jax_programs import main, text

IMPORTS = '''import dataclasses
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
'''
NET = '''

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(256, activation="relu"{regularizer})
        self.drop = layers.Dropout(0.3)
        self.head = layers.Dense(10{activation})

    def call(self, x, training=None):
        return self.head(self.drop(self.hidden(x), training=training))


'''
FILES = 'tf.io.gfile.glob("data/*.tfrecord")'
PARSE = ('row = tf.io.parse_single_example(record, {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)})',
         'image = tf.io.decode_jpeg(row["image"], channels=3)', "image = tf.image.resize(tf.cast(image, tf.float32) / 255.0, [64, 64])")
PARSED = ('return tf.reshape(image, [-1]), row["label"]',)
READ, SHUFFLE, MAP, BATCH, PREFETCH = ("tf.data.TFRecordDataset(files, num_parallel_reads=8)", "ds.shuffle(10000)",
                                       "ds.map(parse, num_parallel_calls=tf.data.AUTOTUNE)", "ds.batch(64)", "ds.prefetch(tf.data.AUTOTUNE)")


@dataclasses.dataclass
class Program:
    regularizer: str = ""
    activation: str = ""
    policy: str = ""
    loss: str = "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
    parse: tuple = PARSE + PARSED
    pipeline: tuple = (READ, SHUFFLE, MAP, BATCH, PREFETCH)
    compiled: bool = True
    forward: str = "out = {model}(x, training=True)"
    first: tuple = ()  # lines of the step
    parameter: str = ""
    argument: str = ""
    reset: str = "{metric}.reset_state()"


GOOD = Program()
MISTAKES = {
    "clean": ("", {}),
    "eager": ("DP212", {"compiled": False}),
    "number": ("DP207", {"parameter": ", weight", "argument": ", count / 1000"}),
    "no_training": ("DP853", {"forward": "out = {model}(x)"}),
    "regularizer": ("DP917", {"regularizer": ", kernel_regularizer=tf.keras.regularizers.l2(1e-4)"}),
    "no_reset": ("DP836", {"reset": "pass"}),
    "python_random": ("DP208", {"first": ("x = x + np.random.normal()",)}),
    "numpy": ("DP211", {"first": ("x = np.log(x + 1.0)",)}),
    "shuffle": ("DP104", {"pipeline": (READ, MAP, BATCH, SHUFFLE, PREFETCH)}),
    "no_prefetch": ("DP103", {"pipeline": (READ, SHUFFLE, MAP, BATCH)}),
    "one_thread": ("DP101", {"pipeline": (READ, SHUFFLE, "ds.map(parse)", BATCH, PREFETCH)}),
    "softmax": ("DP820", {"activation": ', activation="softmax"'}),
    "numpy_random_mapped": ("DP856", {"parse": (*PARSE, "image = image * np.random.uniform(0.8, 1.2)", *PARSED)}),
    "cached_augmentation": ("DP105", {"parse": (*PARSE, "image = tf.image.random_flip_left_right(image)", *PARSED),
                                      "pipeline": (READ, SHUFFLE, MAP, "ds.cache()", BATCH, PREFETCH)}),
    "shuffled_images": ("DP189", {"parse": (*PARSE[:2], "image = tf.image.resize(image, [256, 256])", *PARSED),
                                  "pipeline": (READ, MAP, SHUFFLE, BATCH, PREFETCH)}),
    "not_scaled": ("DP956", {"policy": 'tf.keras.mixed_precision.set_global_policy("mixed_float16")\n'}),
}


def net(p):
    return "\n" + p.policy + NET.format(regularizer=p.regularizer, activation=p.activation)


def pipeline(p):
    return "def parse(record):\n" + text(p.parse, 1) + "\n\ndef make_data(files):\n" + text([*(f"ds = {stage}" for stage in p.pipeline), "return ds"], 1) + "\n\n"


def step(p, model, optimizer, loss, metric, first=""):
    lines = [f"def step({first}x, y{p.parameter}):", *("    " + line for line in (
        *p.first, "with tf.GradientTape() as tape:", "    " + p.forward.format(model=model),
        f"    loss = {loss}(y, out)" + (" * weight" if p.parameter else ""), f"weights = {model}.trainable_variables",
        "grads = tape.gradient(loss, weights)", f"{optimizer}.apply_gradients(zip(grads, weights))", f"{metric}.update_state(loss)", "return loss"))]
    return ["@tf.function", *lines] if p.compiled else lines


def loop(p, call, data, metric, first=""):
    return ["count = 0", "for epoch in range(20):", "    " + p.reset.format(metric=metric), f"    for x, y in {data}:",
            f"        {call}({first}x, y{p.argument})", "        count += 1", f"    print(epoch, float({metric}.result()))"]


OPTIMIZER = "tf.keras.optimizers.Adam(1e-3)"
METRIC = "tf.keras.metrics.Mean()"


def script(p):
    return (IMPORTS + net(p) + pipeline(p) + f"model = Net()\noptimizer = {OPTIMIZER}\nloss_fn = {p.loss}\nmetric = {METRIC}\n\n\n"
            + text(step(p, "model", "optimizer", "loss_fn", "metric")) + f"\n\ndata = make_data({FILES})\n" + text(loop(p, "step", "data", "metric")))


def trainer(p):
    return (IMPORTS + net(p) + pipeline(p) + "class Trainer:\n    def __init__(self, model, data):\n" + text([
        "self.model = model", "self.data = data", f"self.optimizer = {OPTIMIZER}", f"self.loss_fn = {p.loss}", f"self.metric = {METRIC}"], 2)
        + "\n" + text(step(p, "self.model", "self.optimizer", "self.loss_fn", "self.metric", "self, "), 1) + "\n    def fit(self):\n"
        + text(loop(p, "self.step", "self.data", "self.metric"), 2) + main(f"Trainer(Net(), make_data({FILES})).fit()"))


def closure(p):
    return (IMPORTS + net(p) + pipeline(p) + "def make_step(model, optimizer, loss_fn, metric):\n"
            + text(step(p, "model", "optimizer", "loss_fn", "metric"), 1) + "\n    return step\n\n\ndef train(model, data):\n" + text([
                f"metric = {METRIC}", f"step = make_step(model, {OPTIMIZER}, {p.loss}, metric)", *loop(p, "step", "data", "metric")], 1)
            + main(f"train(Net(), make_data({FILES}))"))


def dictionary(p):
    return (IMPORTS + net(p) + pipeline(p) + "def build():\n    return {\n" + text([
        '"model": Net(),', f'"optimizer": {OPTIMIZER},', f'"loss": {p.loss},', f'"metric": {METRIC},', f'"data": make_data({FILES}),'], 2)
        + "    }\n\n\ndef train(parts):\n" + text(step(p, 'parts["model"]', 'parts["optimizer"]', 'parts["loss"]', 'parts["metric"]'), 1) + "\n"
        + text(loop(p, "step", 'parts["data"]', 'parts["metric"]'), 1) + main("train(build())"))


def dataclass_(p):
    return (IMPORTS + net(p) + pipeline(p) + "@dataclasses.dataclass\nclass Context:\n" + text([
        "model: Any", "optimizer: Any", "loss_fn: Any", "metric: Any", "data: Any"], 1)
        + f"\n\ndef build():\n    return Context(Net(), {OPTIMIZER}, {p.loss}, {METRIC}, make_data({FILES}))\n\n\ndef make_step(ctx):\n"
        + text(step(p, "ctx.model", "ctx.optimizer", "ctx.loss_fn", "ctx.metric"), 1) + "\n    return step\n\n\ndef train(ctx):\n"
        + text(["step = make_step(ctx)", *loop(p, "step", "ctx.data", "ctx.metric")], 1) + main("train(build())"))


def inherited(p):
    """Each stage of the pipeline is a method, and the parts of the trainer are made by its base class."""
    stages = [f"    def stage{i}(self, ds):\n        return {stage.replace('parse', 'self.parse')}\n\n" for i, stage in enumerate(p.pipeline[1:])]
    return (IMPORTS + net(p) + "class Pipeline:\n    def __init__(self, pattern):\n        self.pattern = pattern\n\n    @staticmethod\n    def parse(record):\n"
            + text(p.parse, 2) + "\n" + "".join(stages) + "    def build(self):\n" + text([
                "files = tf.io.gfile.glob(self.pattern)", f"ds = {READ}", *(f"ds = self.stage{i}(ds)" for i in range(len(stages))), "return ds"], 2)
            + "\n\nclass Base:\n    def __init__(self):\n" + text([f"self.metric = {METRIC}", "self.optimizer = self.make_optimizer()", "self.loss_fn = self.make_loss()"], 2)
            + f"\n    def make_optimizer(self):\n        return {OPTIMIZER}\n\n    def make_loss(self):\n        return {p.loss}\n\n"
            + "    def fit(self):\n        for epoch in range(20):\n            print(epoch, self.run_epoch())\n\n\nclass Trainer(Base):\n    def __init__(self):\n"
            + text(["super().__init__()", "self.model = Net()", 'self.data = Pipeline("data/*.tfrecord").build()', "self.count = 0"], 2) + "\n"
            + text(step(p, "self.model", "self.optimizer", "self.loss_fn", "self.metric", "self, "), 1) + "\n    def run_epoch(self):\n" + text([
                p.reset.format(metric="self.metric"), "for x, y in self.data:", f"    self.step(x, y{p.argument.replace('count', 'self.count')})",
                "    self.count += 1", "return float(self.metric.result())"], 2) + main("Trainer().fit()"))


def files(p):
    return {"net.py": IMPORTS + net(p), "data.py": IMPORTS + "\n\n" + pipeline(p),
            "steps.py": IMPORTS + "\n\n" + text(step(p, "model", "optimizer", "loss_fn", "metric", "model, optimizer, loss_fn, metric, ")),
            "train.py": IMPORTS + "\nfrom data import make_data\nfrom net import Net\nfrom steps import step\n\n\ndef main():\n" + text([
                f"model, data = Net(), make_data({FILES})", f"optimizer = {OPTIMIZER}", f"loss_fn = {p.loss}", f"metric = {METRIC}",
                *loop(p, "step", "data", "metric", "model, optimizer, loss_fn, metric, ")], 1) + main("main()")}


STRUCTURES = {"tf_script": script, "tf_trainer": trainer, "tf_closure": closure, "tf_dictionary": dictionary, "tf_dataclass": dataclass_,
              "tf_inherited": inherited, "tf_files": files}
PROGRAMS = [(structure, mistake, codes, build(dataclasses.replace(GOOD, **parts)))
            for structure, build in STRUCTURES.items() for mistake, (codes, parts) in MISTAKES.items()]
