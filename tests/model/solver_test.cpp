// Programs on which the engine once gave another answer than for a program that means the same.
#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

const Value &all_values(const Analysed &code, std::string_view name) {
  const Value *const value = all_values_of(*code.project().modules[0].body, intern(name));
  static const Value kNothing = Value::bottom();
  EXPECT_NE(value, nullptr) << name;
  return value != nullptr ? *value : kNothing;
}

TEST(Solver, WhatIsUnknownOnOnePathIsNotKnown) {
  const Analysed code(R"(
import torch
units = cfg.n
if b:
  units = 1
mirrored = 1
if b:
  mirrored = cfg.n
)");
  EXPECT_FALSE(all_values(code, "units").is(Value::Tag::Literal));
  EXPECT_FALSE(all_values(code, "mirrored").is(Value::Tag::Literal));
}

TEST(Solver, GradientsDoNotDependOnTheOrderOfBranches) {
  for (const char *program : {R"(
import torch
net = torch.nn.Linear(1, 1)
if fast:
  y = net(torch.zeros(1))
else:
  y = torch.zeros(1)
print(y)
)",
                              R"(
import torch
net = torch.nn.Linear(1, 1)
if fast:
  y = torch.zeros(1)
else:
  y = net(torch.zeros(1))
print(y)
)"}) {
    const Analysed code(program);
    const auto *print = python::as<python::Call>(code.expr("print(y)"));
    ASSERT_NE(print, nullptr);
    EXPECT_TRUE(has_grad(print->args[0])) << program;
  }
}

TEST(Solver, AnAlternativeIsCalledAsBoth) {
  const Analysed code(R"(
import torch
T = torch.cuda.FloatTensor if cuda else torch.FloatTensor
x = T(3, 4)
)");
  EXPECT_EQ(code.kind("T(3, 4)"), Kind::TorchTensor);
}

TEST(Solver, AnAnnotationAddsToWhatCallersPass) {
  const Analysed code(R"(
import torch
from torch.utils.data import DataLoader
def ev(dl: DataLoader):
  print(dl)
loader = DataLoader(data)
ev(loader)
)");
  const Value &passed = code.function("ev")->all_values[0];
  EXPECT_TRUE(passed.is_kind(Kind::TorchDataLoader));
  EXPECT_NE(passed.maker(), nullptr) << "which loader it is";
}

TEST(Solver, CallsLaterInTheFileCount) {
  const Analysed code(R"(
import torch
def first():
  return second()
def second():
  return third()
def third():
  return torch.zeros(3)
def main():
  print(first())
if __name__ == "__main__":
  main()
)");
  EXPECT_EQ(code.kind("first()"), Kind::TorchTensor);
  EXPECT_EQ(code.kind("third()"), Kind::TorchTensor);
}

TEST(Solver, SuperIsFollowed) {
  const Analysed code(R"(
import torch
class Base(torch.nn.Module):
  def features(self, x):
    return torch.relu(x)
class Net(Base):
  def features(self, x):
    y = super().features(x)
    return y
)");
  EXPECT_EQ(code.kind("super().features(x)"), Kind::TorchTensor);
}

TEST(Solver, TheResultOfAForwardPassHasAGradientAlsoInATuple) {
  const Analysed code(R"(
import torch
class Net(torch.nn.Module):
  def forward(self, x):
    return torch.relu(x), torch.tanh(x)
net = Net()
y, z = net(torch.zeros(3))
print(z)
)");
  const auto *print = python::as<python::Call>(code.expr("print(z)"));
  ASSERT_NE(print, nullptr);
  EXPECT_TRUE(has_grad(print->args[0]));
}

TEST(Solver, ALoopCarriesValuesToItsNextIteration) {
  const Analysed code(R"(
import torch
state = None
for batch in batches:
  print(state)
  state = torch.zeros(3)
)");
  const auto *print = python::as<python::Call>(code.expr("print(state)"));
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(kind_of(print->args[0]), Kind::TorchTensor);
}

TEST(Solver, WhatLeavesALoopByBreakIsKnownAfterIt) {
  const Analysed code(R"(
import torch
while True:
  x = torch.zeros(3)
  if done():
    break
  x = None
print(x)
)");
  const auto *print = python::as<python::Call>(code.expr("print(x)"));
  ASSERT_NE(print, nullptr);
  EXPECT_EQ(kind_of(print->args[0]), Kind::TorchTensor);
}

TEST(Solver, AMethodCalledTrainStepIsTracedOnlyInKeras) {
  const Analysed code(R"(
import tensorflow as tf
class Agent:
  def train_step(self, x):
    return tf.sqrt(x)
class Model(tf.keras.Model):
  def train_step(self, x):
    return tf.sqrt(x)
)");
  u32 traced = 0;
  for (const FunctionInfo &function : code.project().functions) {
    traced += function.traced ? 1 : 0;
  }
  EXPECT_EQ(traced, 1U);
}

TEST(Solver, BasesThatNameEachOtherEnd) {
  const Analysed code(R"(
import torch
class A(B, B, B): pass
class B(A, A, A): pass
class C(A, B): pass
A().x
)");
  EXPECT_EQ(code.project().classes.size(), 3U);
}

TEST(Solver, PythonsOrderOfBases) {
  const Analysed code(R"(
import torch
class O:
  def who(self): return torch.zeros(1)
class A(O): pass
class B(O):
  def who(self): return torch.utils.data.DataLoader(x)
class C(A, B): pass
C().who()
)");
  EXPECT_EQ(code.kind("C().who()"), Kind::TorchDataLoader);
}

TEST(Solver, FindsTheSameOnAnyNumberOfThreads) {
  std::string text = "import torch\n";
  for (u32 i = 0; i < 400; ++i) {
    text += "def f" + std::to_string(i) + "(x):\n  return f" + std::to_string((i + 1) % 400) +
            "(x) if x else torch.zeros(" + std::to_string(i) + ")\n";
  }
  const Analysed one(text, 1);
  const Analysed four(text, 4);
  for (u32 i = 0; i < one.project().functions.size(); ++i) {
    EXPECT_EQ(one.project().functions[i].returns.kind, four.project().functions[i].returns.kind) << i;
  }
}

} // namespace
} // namespace deepperf::model
