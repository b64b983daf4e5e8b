#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// ---- Names of APIs --------------------------------------------------------------------------------------------------

TEST(Infer, NamesAnApiThroughEveryAlias) {
  const Analysed code(R"(
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v2 as tf2
from tensorflow import data as d
from tensorflow.keras import layers
import torch.nn as nn
import torch
F = torch.nn.functional
tf.reduce_mean(1)
tf1.reduce_mean(1)
tf2.math.reduce_mean(1)
tf.compat.v1.reduce_mean(1)
d.Dataset.range(3)
layers.Dense(4)
nn.Linear(1, 2)
F.relu(1)
)");
  EXPECT_EQ(code.called("tf.reduce_mean(1)"), "tensorflow.reduce_mean");
  EXPECT_EQ(code.called("tf1.reduce_mean(1)"), "tensorflow.reduce_mean");
  EXPECT_EQ(code.called("tf2.math.reduce_mean(1)"), "tensorflow.math.reduce_mean");
  EXPECT_EQ(code.called("tf.compat.v1.reduce_mean(1)"), "tensorflow.reduce_mean");
  EXPECT_EQ(code.kind("d.Dataset.range(3)"), Kind::Dataset);
  EXPECT_EQ(code.kind("layers.Dense(4)"), Kind::KerasLayer);
  EXPECT_EQ(code.kind("nn.Linear(1, 2)"), Kind::TorchModule);
  EXPECT_EQ(code.kind("F.relu(1)"), Kind::TorchTensor);
}

TEST(Infer, TakesConditionalImportsAndThoseInFunctions) {
  const Analysed code(R"(
try:
  import tensorflow.compat.v1 as tf
except ImportError:
  import tensorflow as tf
def f():
  import torch as t
  return t.zeros(3)
tf.zeros(3)
f()
)");
  EXPECT_EQ(code.called("tf.zeros(3)"), "tensorflow.zeros");
  EXPECT_EQ(code.kind("f()"), Kind::TorchTensor);
}

TEST(Infer, KnowsWhatALocalNameHides) {
  const Analysed code(R"(
import tensorflow as tf
def f(tf):
  return tf.zeros(3)
def g():
  zeros = [tf for tf in (1, 2)]
  return tf.ones(3)
)");
  EXPECT_EQ(code.called("tf.zeros(3)"), "");
}

TEST(Infer, ABoundMethodIsStillOne) {
  const Analysed code(R"(
import tensorflow as tf
ds = tf.data.Dataset.range(3)
ds_map = ds.map
mapped = ds_map(f)
)");
  EXPECT_EQ(code.kind("ds_map(f)"), Kind::Dataset);
}

// ---- Values ---------------------------------------------------------------------------------------------------------

TEST(Infer, FollowsAssignmentsTuplesAndBranches) {
  const Analysed code(R"(
import tensorflow as tf
a, (b, c) = tf.zeros(3), (tf.data.Dataset.range(3), 1)
if a is not None:
  d = b
else:
  d = b.batch(2)
e = d
with open("x") as f:
  g = e.repeat()
for h in g:
  i = g
print(a, b, c, d, e, g, i)
)");
  EXPECT_EQ(code.kind("print(a, b, c, d, e, g, i)"), Kind::Unknown);
  const python::Call *call = code.call("print(a, b, c, d, e, g, i)");
  const std::vector<Kind> expected = {Kind::Tensor,  Kind::Dataset, Kind::Unknown, Kind::Dataset,
                                      Kind::Dataset, Kind::Dataset, Kind::Dataset};
  for (u32 i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(kind_of(call->args[i]), expected[i]) << i;
  }
}

TEST(Infer, FollowsReturnsDefaultsAnnotationsAndAttributes) {
  const Analysed code(R"(
import tensorflow as tf
def make(n):
  return tf.data.Dataset.range(n)
def typed(ds: tf.data.Dataset):
  return ds.first
def usual(ds=tf.data.Dataset.range(3)):
  return ds.second
class Reader:
  def __init__(self):
    self.ds = make(3)
  @property
  def batches(self):
    return self.ds.batch(2)
  def read(self):
    return self.batches
class Later(Reader):
  def more(self):
    return self.ds.repeat()
Later().read()
Later().more()
)");
  EXPECT_EQ(code.kind("make(3)"), Kind::Dataset);
  EXPECT_EQ(code.kind("ds"), Kind::Dataset); // the first one is that of `typed`
  EXPECT_EQ(code.kind("self.ds.batch(2)"), Kind::Dataset);
  EXPECT_EQ(code.kind("Later().read()"), Kind::Dataset);
  EXPECT_EQ(code.kind("Later().more()"), Kind::Dataset);
}

TEST(Infer, LearnsWhatCallersPass) {
  const Analysed code(R"(
import tensorflow as tf
def train(ds, steps):
  for x in ds.take(steps):
    print(x)
train(tf.data.Dataset.range(3), 5)
)");
  EXPECT_EQ(code.kind("ds.take(steps)"), Kind::Dataset);
}

TEST(Infer, ReportsAParameterByItsUse) {
  const Analysed code(R"(
import tensorflow as tf
def prepare(data):
  return data.shuffle(10).batch(2).prefetch(1)
def other(items):
  return items.map(str)
)");
  EXPECT_EQ(code.kind("data"), Kind::Dataset);
  EXPECT_EQ(code.kind("items"), Kind::Unknown);
}

TEST(Infer, LearnsWhatApplyPassesAndGeneratorsGive) {
  const Analysed code(R"(
import tensorflow as tf
def prepare(data):
  return data.filter(f)
class Part:
  def ones(self): return tf.ones(3)
def parts():
  yield Part()
tf.data.Dataset.range(3).apply(prepare)
for part in parts():
  part.ones()
with parts() as other:
  other.ones()
class Circle(Round): pass
class Round(Circle):
  def f(self): pass
  def g(self): self.f()
)");
  EXPECT_EQ(code.kind("data.filter(f)"), Kind::Dataset);
  EXPECT_EQ(code.kind("part.ones()"), Kind::Tensor);
  EXPECT_EQ(code.kind("other.ones()"), Kind::Tensor);
}

TEST(Infer, AMethodThatIsLeftOpenIsWhatDerivedClassesSay) {
  const Analysed code(R"(
import tensorflow as tf
class Base:
  def read(self): raise NotImplementedError
  def all(self): return self.read()
class Files(Base):
  def read(self): return tf.data.Dataset.range(3)
def use(files):
  return files.all()
)");
  EXPECT_EQ(code.kind("self.read()"), Kind::Dataset);
  EXPECT_EQ(code.kind("files.all()"), Kind::Dataset);
}

TEST(Infer, CallsThroughPartialAndDecorators) {
  const Analysed code(R"(
import functools
import tensorflow as tf
def make(n, m):
  return tf.data.Dataset.range(n)
short = functools.partial(make, 3)
@functools.wraps(make)
def wrapped():
  return tf.zeros(3)
short(4)
wrapped()
)");
  EXPECT_EQ(code.kind("short(4)"), Kind::Dataset);
  EXPECT_EQ(code.kind("wrapped()"), Kind::Tensor);
}

TEST(Infer, ForgetsWhatIsRebound) {
  const Analysed code(R"(
import tensorflow as tf
x = tf.data.Dataset.range(3)
x = [1, 2]
x.map(f)
)");
  EXPECT_EQ(code.kind("x.map(f)"), Kind::Unknown);
}

TEST(Infer, KnowsGradientsAndDevicesOfPyTorch) {
  const Analysed code(R"(
import torch
model = torch.nn.Linear(2, 3).cuda()
out = model(x)
loss = torch.nn.functional.cross_entropy(out, y)
still = loss.detach()
with torch.no_grad():
  quiet = model(x)
print(loss, still, quiet)
)");
  const python::Call *call = code.call("print(loss, still, quiet)");
  EXPECT_TRUE(has_grad(call->args[0]));
  EXPECT_FALSE(has_grad(call->args[1]));
  EXPECT_FALSE(has_grad(call->args[2]));
  EXPECT_TRUE(is_moved(call->args[0]));
}

// ---- Between files --------------------------------------------------------------------------------------------------

TEST(Infer, FollowsImportsBetweenFiles) {
  const Analysed code({{"package/__init__.py", "from .data import make\n__all__ = ['make']\n"},
                       {"package/data.py", "import tensorflow as tf\ndef make():\n  return tf.data.Dataset.range(3)\n"},
                       {"package/deep/user.py", "from .. import make\nfrom ..data import make as m2\nmake()\nm2()\n"},
                       {"run.py", "import package\nfrom package import *\nfrom package import data\npackage.make()\n"
                                  "make()\ndata.make()\n"}});
  EXPECT_EQ(code.kind("make()", 2), Kind::Dataset);
  EXPECT_EQ(code.kind("m2()", 2), Kind::Dataset);
  EXPECT_EQ(code.kind("package.make()", 3), Kind::Dataset);
  EXPECT_EQ(code.kind("make()", 3), Kind::Dataset);
  EXPECT_EQ(code.kind("data.make()", 3), Kind::Dataset);
}

TEST(Infer, AllBoundsWhatAStarBrings) {
  const Analysed code({{"data.py", "import tensorflow as tf\n__all__ = ['shown']\ndef shown():\n  return tf.zeros(1)\n"
                                   "def hidden():\n  return tf.zeros(1)\n"},
                       {"run.py", "from data import *\nshown()\nhidden()\n"}});
  EXPECT_EQ(code.kind("shown()", 1), Kind::Tensor);
  EXPECT_EQ(code.kind("hidden()", 1), Kind::Unknown);
}

TEST(Infer, TheNearestOfSeveralFilesIsMeant) {
  const Analysed code({{"a/helper.py", "import tensorflow as tf\ndef make():\n  return tf.zeros(1)\n"},
                       {"a/run.py", "from helper import make\nmake()\n"},
                       {"b/helper.py", "import tensorflow as tf\ndef make():\n  return tf.data.Dataset.range(1)\n"},
                       {"b/run.py", "from helper import make\nmake()\n"}});
  EXPECT_EQ(code.kind("make()", 1), Kind::Tensor);
  EXPECT_EQ(code.kind("make()", 3), Kind::Dataset);
}

TEST(Infer, EndsWhereImportsClassesAndCallsGoInCircles) {
  const Analysed code(
      {{"a.py", "import tensorflow as tf\nfrom b import g\ndef f(n):\n  return g(n) if n else tf.zeros(1)\n"},
       {"b.py", "from a import f\nclass A(B):\n  pass\nclass B(A):\n  x = A()\ndef g(n):\n  return f(n - 1)\n"
                "f(3)\nB().y\n"}});
  EXPECT_EQ(code.kind("f(3)", 1), Kind::Tensor);
}

// ---- How code runs --------------------------------------------------------------------------------------------------

TEST(Infer, KnowsWhatIsTraced) {
  const Analysed code(R"(
import jax
import tensorflow as tf
@tf.function
def step(x):
  return inner(x)
def inner(x):
  return x
def both(x):
  return x
def parse(x):
  return x
class Layer(tf.keras.layers.Layer):
  def call(self, x):
    return x
  def other(self, x):
    return x
@jax.jit
def fast(x):
  both(x)
both(1)
tf.data.Dataset.range(3).map(parse)
)");
  EXPECT_TRUE(code.function("step")->traced);
  EXPECT_TRUE(code.function("inner")->traced) << "called by traced code alone";
  EXPECT_FALSE(code.function("both")->traced) << "called by others too";
  EXPECT_TRUE(code.function("parse")->traced);
  EXPECT_TRUE(code.function("call")->traced);
  EXPECT_FALSE(code.function("other")->traced);
  EXPECT_EQ(code.function("fast")->tracers, kByJaxJit);
}

TEST(Infer, KnowsWhichLoopsTrainAndRunSessions) {
  const Analysed code(R"(
import tensorflow as tf
import torch
def step(x):
  model(x).backward()
for e in range(100):
  for x in loader:
    step(x)
with tf.compat.v1.Session() as sess:
  while go():
    sess.run(op)
)");
  EXPECT_TRUE(code.loop(0).trains);
  EXPECT_FALSE(code.loop(0).steps);
  EXPECT_TRUE(code.loop(1).steps);
  EXPECT_TRUE(code.loop(2).runs_session);
  EXPECT_FALSE(code.loop(1).runs_session);
}

TEST(Infer, NoGradReachesWhatIsCalledUnderIt) {
  const Analysed code(R"(
import torch
@torch.no_grad()
def evaluate(x):
  return only_here(x), both(x)
def only_here(x):
  return x
def both(x):
  return x
both(1)
)");
  EXPECT_TRUE(code.function("only_here")->no_grad);
  EXPECT_FALSE(code.function("both")->no_grad);
  EXPECT_TRUE(code.function("both")->sometimes_no_grad);
}

// ---- What it costs --------------------------------------------------------------------------------------------------

// Arguments are evaluated once: if each level of such an expression took twice what the one inside takes, this would
// never end.
TEST(Infer, NestedCallsTakeNoLongerThanTheyAre) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"enumerate(", ")"},
      {"zip(", ", x)"},
      {"ds.map(", ")"},
      {"ds.map(map_func=", ")"},
      {"ds.interleave(lambda y: ", ")"},
      {"ds.apply(", ")"},
      {"nn.Sequential(", ")"},
      {"nn.Sequential(OrderedDict([('a', ", ")]))"},
      {"tf.keras.Model(", ", x)"},
      {"F.cross_entropy(", ", x).data"},
      {"functools.partial(jax.jit)(", ")"},
      {"functools.partial(", ", 1)"},
      {"beam.FlatMap(", ")"},
      {"[a for a in x[", "]]"},
      {"list(reversed(", "))"},
      {"sess.run(tf.assign(v, ", "))"},
      {"(lambda y: ", ")(x)"},
      {"torch.compile(", ")"},
  };
  for (const auto &[before, behind] : forms) {
    std::string nested = "x";
    for (u32 depth = 0; depth < 60; ++depth) {
      nested.insert(0, before);
      nested += behind;
    }
    std::string text =
        "import apache_beam as beam\nimport functools\nimport jax\nimport tensorflow as tf\nimport torch\n"
        "import torch.nn as nn\nimport torch.nn.functional as F\nds = tf.data.Dataset.range(3)\n"
        "x = tf.zeros(3)\nfor i in ";
    text += nested;
    text += ":\n  y = ";
    text += nested;
    text += "\n";
    const Analysed code(text);
    EXPECT_FALSE(code.project().functions.empty()) << before;
  }
}

} // namespace
} // namespace deepperf::model
