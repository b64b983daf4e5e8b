// What is kept under names: the model must be known wherever it is taken out again.
#include "model/analysed.h"

#include <gtest/gtest.h>

namespace deepperf::model {
namespace {

// Is `model` an object of Net, and nothing else, where the program calls `model(batch)`?
bool is_net(const std::string &program) {
  const Analysed code(
      "import torch\nfrom torch import nn\n\nclass Net(nn.Module):\n  def forward(self, x):\n    return x\n" + program +
      "\n");
  const auto *call = python::as<python::Call>(code.expr("model(batch)"));
  EXPECT_NE(call, nullptr) << program;
  const Value callee = call != nullptr ? code.project().callee_of(call) : Value();
  return callee.is(Value::Tag::Object) && callee.type->name.text() == "Net" && !callee.open;
}

TEST(Records, Dictionaries) {
  EXPECT_TRUE(is_net("parts = {'model': Net(), 'epochs': 3}\nmodel = parts['model']\nmodel(batch)"));
  EXPECT_TRUE(is_net("parts = {}\nparts['epochs'] = 3\nparts['model'] = Net()\nmodel = parts['model']\nmodel(batch)"));
  EXPECT_TRUE(is_net("parts = dict(model=Net(), epochs=3)\nmodel = parts.get('model')\nmodel(batch)"));
  EXPECT_TRUE(is_net("parts = {'epochs': 3}\nparts.update(model=Net())\nmodel = parts['model']\nmodel(batch)"));
  EXPECT_TRUE(is_net("base = {'model': Net()}\nparts = {**base, 'epochs': 3}\nmodel = parts['model']\nmodel(batch)"));
  EXPECT_TRUE(is_net("def build():\n  return {'model': Net(), 'epochs': 3}\nmodel = build()['model']\nmodel(batch)"));
  EXPECT_FALSE(is_net("parts = {'model': Net()}\nparts['model'] = load()\nmodel = parts['model']\nmodel(batch)"));
  EXPECT_FALSE(is_net("parts = {'model': Net(), 'other': load()}\nmodel = parts[key]\nmodel(batch)"));
  EXPECT_FALSE(is_net("parts = {'model': Net(), **load()}\nparts[key] = load()\nmodel = parts['model']\nmodel(batch)"));
}

TEST(Records, NamedTuplesAndNamespaces) {
  EXPECT_TRUE(is_net("from collections import namedtuple\nSetup = namedtuple('Setup', ['epochs', 'model'])\n"
                     "setup = Setup(3, Net())\nmodel = setup.model\nmodel(batch)"));
  EXPECT_TRUE(is_net("from collections import namedtuple\nSetup = namedtuple('Setup', 'epochs model')\n"
                     "setup = Setup(3, model=Net())\nmodel = setup.model\nmodel(batch)"));
  EXPECT_TRUE(is_net("from types import SimpleNamespace\nsetup = SimpleNamespace(epochs=3)\nsetup.model = Net()\n"
                     "model = setup.model\nmodel(batch)"));
}

TEST(Records, FieldsOfDataclasses) {
  const std::string type =
      "from dataclasses import dataclass\n@dataclass\nclass Setup:\n  epochs: int\n  model: nn.Module\n";
  EXPECT_TRUE(is_net(type + "setup = Setup(3, Net())\nmodel = setup.model\nmodel(batch)"));
  EXPECT_TRUE(is_net(type + "setup = Setup(model=Net(), epochs=3)\nmodel = setup.model\nmodel(batch)"));
  EXPECT_TRUE(is_net(type + "settings = {'epochs': 3, 'model': Net()}\nsetup = Setup(**settings)\nmodel = setup.model\n"
                            "model(batch)"));
  EXPECT_FALSE(is_net(type + "setup = Setup(3, load())\nmodel = setup.model\nmodel(batch)"));
}

TEST(Records, Arguments) {
  EXPECT_TRUE(is_net("def run(epochs, model):\n  model(batch)\nparts = {'model': Net(), 'epochs': 3}\nrun(**parts)"));
  EXPECT_TRUE(is_net("def run(epochs, model):\n  model(batch)\nparts = (3, Net())\nrun(*parts)"));
  EXPECT_TRUE(is_net("from functools import partial\ndef run(model, epochs):\n  model(batch)\npartial(run, Net())(3)"));
}

TEST(Records, TablesOfClasses) {
  EXPECT_TRUE(is_net("MODELS = {'net': Net}\nmodel = MODELS['net']()\nmodel(batch)"));
  EXPECT_TRUE(is_net("MODELS = {'net': Net, 'loss': nn.MSELoss}\ndef build(name):\n  return MODELS[name]()\n"
                     "model = build('net')\nmodel(batch)"));
  const std::string registry =
      "MODELS = {}\ndef register(name):\n  def add(cls):\n    MODELS[name] = cls\n    return cls\n  return add\n";
  const Analysed code("import torch\nfrom torch import nn\n" + registry +
                      "@register('net')\nclass Net(nn.Module):\n  pass\nmodel = MODELS['net']()\nmodel(batch)\n");
  const auto *call = python::as<python::Call>(code.expr("model(batch)"));
  ASSERT_NE(call, nullptr);
  EXPECT_TRUE(code.project().callee_of(call).is(Value::Tag::Object));
}

TEST(Records, TablesOfFunctions) {
  const std::string registry =
      "MODELS = {}\ndef register(name):\n  def add(fn):\n    MODELS[name] = fn\n    return fn\n  return add\n"
      "@register('net')\ndef net():\n  return Net()\n";
  EXPECT_TRUE(is_net(registry + "def build(name):\n  model = MODELS[name]()\n  model(batch)\nbuild(key)"));
  // A decorator that calls the function puts something else in its place.
  EXPECT_FALSE(is_net(
      "MODELS = {}\ndef timed(fn):\n  def run(*args):\n    return fn(*args)\n  MODELS['net'] = run\n  return run\n"
      "@timed\ndef net(size):\n  return load(size)\n"
      "def build(name):\n  model = MODELS[name]()\n  model(batch)\nbuild(key)"));
}

} // namespace
} // namespace deepperf::model
