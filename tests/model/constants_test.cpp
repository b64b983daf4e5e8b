// Which constant an expression is, however the program says so.
#include "model/constants.h"

#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// The value of the only argument of `ask(…)`, which may stand in any function.
struct Asked {
  explicit Asked(const std::string &program, std::string_view written = {})
      : Asked(Files{{"main.py", program}}, written) {}

  using Files = std::vector<std::pair<std::string, std::string>>;
  explicit Asked(const Files &files, std::string_view written = {}) : code(files) {
    for (u32 file = 0; file < files.size(); ++file) {
      const std::string_view text = code.text(file);
      const std::size_t at = text.find("ask(");
      if (at == std::string_view::npos) {
        continue;
      }
      const std::string_view call_text = text.substr(at, text.find('\n', at) - at);
      const python::Call *const call = code.call(written.empty() ? call_text : written, file);
      const FunctionInfo *function = code.project().caller_of(call);
      const Module *module = nullptr;
      for (const Module &one : code.project().modules) {
        module = one.file.value == file ? &one : module;
      }
      const Scope scope{&code.project(), module, function != nullptr ? function : module->body};
      value = constant_of(scope, call->args[0]);
    }
  }

  [[nodiscard]] std::string text() const {
    if (!value.has_value()) {
      return "?";
    }
    std::string result;
    switch (value->type) {
    case ConstantValue::Type::None:
      result = "None";
      break;
    case ConstantValue::Type::Bool:
      result = value->integer != 0 ? "True" : "False";
      break;
    case ConstantValue::Type::Integer:
      result = std::to_string(value->integer);
      break;
    case ConstantValue::Type::Float:
      result = std::to_string(value->number);
      break;
    case ConstantValue::Type::String:
      result = value->text;
      break;
    }
    return value->overridable ? result + " by default" : result;
  }

  Analysed code;
  std::optional<ConstantValue> value;
};

std::string asked(const std::string &program) { return Asked("import torch\n" + program + "\n").text(); }

TEST(Constants, LiteralsAndArithmetic) {
  EXPECT_EQ(asked("ask(4)"), "4");
  EXPECT_EQ(asked("ask(-2 * 3 + 10 // 4)"), "-4");
  EXPECT_EQ(asked("ask(not True)"), "False");
  EXPECT_EQ(asked("ask('a' + 'b')"), "ab");
  EXPECT_EQ(asked("ask(max(2, int(3.7)))"), "3");
  EXPECT_EQ(asked("ask(0 or 4)"), "4");
  EXPECT_EQ(asked("ask(10 ** -3)"), "0.001000");
  EXPECT_EQ(asked("ask(os.cpu_count())"), "?");
}

TEST(Constants, NamesThatHoldNothingElse) {
  EXPECT_EQ(asked("n = 2\nm = n * 4\nask(m)"), "8");
  EXPECT_EQ(asked("n = 2\nif x:\n  n = 3\nask(n)"), "?");
  EXPECT_EQ(asked("n = 2\nn += 1\nask(n)"), "?");
  EXPECT_EQ(asked("for n in range(3):\n  ask(n)"), "?");
  EXPECT_EQ(asked("a, b = 1, 2\nask(b)"), "2");
  EXPECT_EQ(asked("N = 2\ndef f():\n  ask(N)"), "2");
  EXPECT_EQ(asked("N = 2\ndef g():\n  global N\n  N = 3\ndef f():\n  ask(N)"), "?");
  EXPECT_EQ(asked("n = 0 if debug else 0\nask(n)"), "0");
  EXPECT_EQ(asked("n = 0 if debug else 4\nask(n)"), "?");
}

TEST(Constants, ParametersByWhatCallersPass) {
  EXPECT_EQ(asked("def f(n):\n  ask(n)\nf(4)\nf(n=4)"), "4");
  EXPECT_EQ(asked("def f(n):\n  ask(n)\nf(4)\nf(5)"), "?");
  EXPECT_EQ(asked("def f(n):\n  ask(n)"), "?");
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)"), "4 by default");
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)\nf()"), "4 by default");
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)\nf(8)"), "8");
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)\nf(*many)"), "?");
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)\nf(**{'n': 3})"), "3");
}

TEST(Constants, TestsDoNotSayWhatTheProgramDoes) {
  EXPECT_EQ(asked("def f(n=4):\n  ask(n)\ndef test_f():\n  f(0)"), "4 by default");
}

TEST(Constants, AttributesOfObjectsAndClasses) {
  EXPECT_EQ(asked("class A:\n  n = 4\n  def f(self):\n    ask(self.n)"), "4");
  EXPECT_EQ(asked("class A:\n  def __init__(self, n=2):\n    self.n = n\n  def f(self):\n    ask(self.n)"),
            "2 by default");
  EXPECT_EQ(asked("class A:\n  def __init__(self, n=2):\n    self.n = n\n  def f(self):\n    ask(self.n)\nA(3)"), "3");
  EXPECT_EQ(asked("class A:\n  n = 4\na = A()\na.n = 5\nask(a.n)"), "?");
  // Only the program makes objects of the class; a parser that gets the class may make others.
  EXPECT_EQ(asked("from dataclasses import dataclass\n@dataclass\nclass C:\n  n: int = 4\nc = C()\nask(c.n)"), "4");
  EXPECT_EQ(asked("from dataclasses import dataclass\n@dataclass\nclass C:\n  n: int = 4\nparse(C)\nc = C()\nask(c.n)"),
            "4 by default");
  EXPECT_EQ(asked("from dataclasses import dataclass\n@dataclass\nclass C:\n  n: int = 4\nc = C(n=3)\nask(c.n)"), "3");
  EXPECT_EQ(
      asked("from dataclasses import dataclass\n@dataclass\nclass C:\n  m: int\n  n: int = 4\nc = C(1, 2)\nask(c.n)"),
      "2");
  EXPECT_EQ(asked("from dataclasses import dataclass, field\n@dataclass\nclass C:\n  n: int = field(default=4)\n"
                  "def f(c: C):\n  ask(c.n)"),
            "4 by default");
  EXPECT_EQ(asked("from typing import NamedTuple\nclass C(NamedTuple):\n  n: int = 4\nask(C().n)"), "4 by default");
}

TEST(Constants, OptionsOfArgparse) {
  const std::string make = "import argparse\np = argparse.ArgumentParser()\n"
                           "p.add_argument('-j', '--num-workers', type=int, default=0)\n"
                           "p.add_argument('--fast', action='store_true')\n"
                           "p.add_argument('--path')\n";
  EXPECT_EQ(asked(make + "args = p.parse_args()\nask(args.num_workers)"), "0 by default");
  EXPECT_EQ(asked(make + "args = p.parse_args()\nask(args.fast)"), "False by default");
  EXPECT_EQ(asked(make + "args = p.parse_args()\nask(args.path)"), "None by default");
  EXPECT_EQ(asked(make + "args, rest = p.parse_known_args()\nask(args.num_workers)"), "0 by default");
  EXPECT_EQ(asked(make + "args = p.parse_args()\nn = args.num_workers\ndef f(a, n):\n  ask(n)\nf(args, n)"),
            "0 by default");
  EXPECT_EQ(asked(make + "args = p.parse_args()\ndef f(a):\n  ask(a.num_workers)\nf(args)"), "0 by default");
  EXPECT_EQ(asked(make + "args = p.parse_args()\nargs.num_workers = 4\nask(args.num_workers)"), "?");
  EXPECT_EQ(asked(make + "p.set_defaults(num_workers=4)\nargs = p.parse_args()\nask(args.num_workers)"), "?");
  EXPECT_EQ(asked(make + "class T:\n  def __init__(self, args):\n    self.args = args\n  def f(self):\n"
                         "    ask(self.args.num_workers)\nT(p.parse_args())"),
            "0 by default");
}

TEST(Constants, OptionsThroughFunctionsAndFiles) {
  EXPECT_EQ(
      asked("import argparse\ndef add(p):\n  g = p.add_argument_group('data')\n  g.add_argument('--n', default=2)\n"
            "  return p\ndef parser():\n  p = argparse.ArgumentParser()\n  return add(p)\n"
            "def main():\n  args = parser().parse_args()\n  ask(args.n)"),
      "2 by default");
  const Asked files(Asked::Files{{"options.py", "import argparse\ndef get():\n  p = argparse.ArgumentParser()\n"
                                                "  p.add_argument('--n', default=2)\n  return p.parse_args()\n"},
                                 {"train.py", "import torch\nfrom options import get\nargs = get()\nask(args.n)\n"}});
  EXPECT_EQ(files.text(), "2 by default");
  const Asked imported(Asked::Files{{"config.py", "N = 2\nCFG = {'n': 3}\n"},
                                    {"train.py", "import torch\nfrom config import CFG, N\nask(N + CFG['n'])\n"}});
  EXPECT_EQ(imported.text(), "5");
}

TEST(Constants, OtherCommandLines) {
  EXPECT_EQ(asked("from absl import flags\nflags.DEFINE_integer('n', 3, 'help')\nFLAGS = flags.FLAGS\n"
                  "def main():\n  ask(FLAGS.n)"),
            "3 by default");
  EXPECT_EQ(asked("from absl import flags\n_N = flags.DEFINE_integer('n', 3, 'help')\ndef main():\n  ask(_N.value)"),
            "3 by default");
  EXPECT_EQ(asked("import typer\ndef main(n: int = typer.Option(3, help='x')):\n  ask(n)"), "3 by default");
  EXPECT_EQ(asked("import dataclasses\nfrom transformers import HfArgumentParser\n@dataclasses.dataclass\nclass D:\n"
                  "  n: int = dataclasses.field(default=3)\np = HfArgumentParser((D, E))\n"
                  "d, e = p.parse_args_into_dataclasses()\nask(d.n)"),
            "3 by default");
  EXPECT_EQ(asked("import tyro\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n  n: int = 3\n"
                  "args = tyro.cli(A)\nask(args.n)"),
            "3 by default");
}

TEST(Constants, EntriesOfDictionaries) {
  EXPECT_EQ(asked("d = {'n': 3, 'm': x}\nask(d['n'])"), "3");
  EXPECT_EQ(asked("d = dict(n=3)\nask(d.get('n', 4))"), "3");
  EXPECT_EQ(asked("d = dict(m=3)\nask(d.get('n', 4))"), "4");
  EXPECT_EQ(asked("d = {'a': {'n': 3}}\nask(d['a']['n'])"), "3");
  EXPECT_EQ(asked("d = {'n': 3}\nd['n'] = 4\nask(d['n'])"), "?");
  EXPECT_EQ(asked("d = {**base, 'n': 3}\nask(d['n'])"), "?");
  EXPECT_EQ(asked("base = {'m': 1}\nd = {**base, 'n': 3}\nask(d['n'])"), "3");
  EXPECT_EQ(asked("from types import SimpleNamespace\nc = SimpleNamespace(n=3)\nask(c.n)"), "3");
}

// num_workers of the only DataLoader; -1 where it is not passed.
std::string workers(const std::string &program) {
  const Analysed code("import torch\nfrom torch.utils.data import DataLoader\n" + program + "\n");
  const std::string_view text = code.text();
  const std::size_t at = text.find("DataLoader(ds");
  const std::size_t made = at != std::string_view::npos ? at : text.find("make(ds");
  const python::Call *const call = code.call(text.substr(made, text.find(')', made) + 1 - made));
  const FunctionInfo *const function = code.project().caller_of(call);
  const Scope scope{&code.project(), function->module, function};
  const Argument argument = argument_of(scope, *call, 5, "num_workers");
  const auto value = constant_of(code.project(), argument, ConstantValue::of(i64{-1}));
  return value.has_value() && value->as_integer().has_value() ? std::to_string(value->integer) : "?";
}

TEST(Constants, ArgumentsInDictionaries) {
  EXPECT_EQ(workers("DataLoader(ds)"), "-1");
  EXPECT_EQ(workers("DataLoader(ds, **{'num_workers': 2})"), "2");
  EXPECT_EQ(workers("kw = {'num_workers': 2, 'shuffle': True}\nDataLoader(ds, **kw)"), "2");
  EXPECT_EQ(workers("kw = dict(shuffle=True)\nDataLoader(ds, **kw)"), "-1");
  EXPECT_EQ(workers("kw = {}\nkw['num_workers'] = 2\nDataLoader(ds, **kw)"), "2");
  EXPECT_EQ(workers("kw = {}\nkw.update(num_workers=2)\nDataLoader(ds, **kw)"), "2");
  EXPECT_EQ(workers("kw = {'a': 1}\nif cuda:\n  kw.update({'num_workers': 2})\nDataLoader(ds, **kw)"), "?");
  EXPECT_EQ(workers("kw = {'num_workers': 2} if cuda else {}\nDataLoader(ds, **kw)"), "?");
  EXPECT_EQ(workers("DataLoader(ds, **unknown)"), "?");
  EXPECT_EQ(workers("def make_loader(ds, **kw):\n  return DataLoader(ds, **kw)\nmake_loader(x, num_workers=2)"), "2");
  EXPECT_EQ(workers("import functools\nmake = functools.partial(DataLoader, num_workers=2)\nmake(ds)"), "2");
  EXPECT_EQ(workers("class A:\n  def __init__(self):\n    self.kw = dict(num_workers=2)\n  def f(self, ds):\n"
                    "    return DataLoader(ds, **self.kw)"),
            "2");
}

TEST(Constants, HyperparametersOfLightning) {
  EXPECT_EQ(
      asked("import pytorch_lightning as pl\nclass D(pl.LightningDataModule):\n  def __init__(self, n: int = 3):\n"
            "    super().__init__()\n    self.save_hyperparameters()\n  def train_dataloader(self):\n"
            "    ask(self.hparams.n)"),
      "3 by default");
}

} // namespace
} // namespace deepperf::model
