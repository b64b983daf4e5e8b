#include "model/analysed.h"
#include "model/call_order.h"
#include "model/effects.h"
#include "model/graph_flow.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace deepperf::model {
namespace {

// `even` and `odd` call each other, `outside` leads into that circle, and `leaf` is called from it.
constexpr std::string_view kCircle = R"(
import torch
from torch import nn

net = nn.Linear(3, 3)
seen = []

def leaf(x, log):
    log.append(x)
    return net(x)

def even(x, n, log):
    leaf(x, log)
    return odd(x, n - 1, log) if n else net(x)

def odd(x, n, log):
    seen.append(n)
    return even(x, n - 1, log) if n else leaf(x, log)

def outside(x):
    return even(x, 5, [])
)";

std::string order_from(const Analysed &code, std::string_view first) {
  std::string order;
  in_call_order(
      *code.function(first), [](const FunctionInfo &) { return false; }, [](const CallSite &) { return true; },
      [&](std::span<const FunctionInfo *const> circle) {
        for (const FunctionInfo *function : circle) {
          order += std::string(function->name.text()) + (function == circle.back() ? "; " : " ");
        }
      });
  return order;
}

TEST(CallOrder, HasCalleesFirstAndCirclesTogether) {
  const Analysed code(kCircle);
  EXPECT_EQ(order_from(code, "outside"), "leaf; even odd; outside; ");
  EXPECT_EQ(order_from(code, "odd"), "leaf; even odd; ");
}

TEST(CallOrder, FollowsChainsOfAnyLength) {
  std::string text = "def f0(): pass\n";
  for (int i = 1; i < 5'000; ++i) {
    text += "def f" + std::to_string(i) + "(): f" + std::to_string(i - 1) + "()\n";
  }
  const Analysed code(text);
  EXPECT_TRUE(order_from(code, "f4999").starts_with("f0; f1; f2; "));
}

// What a function changes and returns, as text.
std::string facts(const Analysed &code, std::string_view name) {
  const FunctionInfo &function = *code.function(name);
  const FunctionChanges &changes = changes_of(function);
  const GraphFlow &flow = graph_flow_of(code.project(), function);
  std::string text = std::string(name) + ": " + std::to_string(changes.params) + (flow.returns_graph ? " graph" : "");
  for (const Symbol changed : changes.names) {
    text += " " + std::string(changed.text());
  }
  for (const u16 use : flow.params) {
    text += " " + std::to_string(use);
  }
  return text;
}

TEST(CallOrder, FactsDoNotDependOnWhoAsksFirst) {
  const std::vector<std::string_view> names = {"leaf", "even", "odd", "outside"};
  const Analysed forwards(kCircle);
  const Analysed backwards(kCircle);
  std::vector<std::string> first;
  for (const std::string_view name : names) {
    first.push_back(facts(forwards, name));
  }
  for (std::size_t i = names.size(); i-- > 0;) {
    EXPECT_EQ(facts(backwards, names[i]), first[i]);
  }
  EXPECT_EQ(changes_of(*forwards.function("even")).params, 4U) << "log, which leaf() changes";
  EXPECT_EQ(changes_of(*forwards.function("even")).names.size(), 1U) << "seen, which odd() changes";
}

} // namespace
} // namespace deepperf::model
