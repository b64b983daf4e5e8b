#include "rules/reach.h"
#include "rules/site.h"
#include "rules/thin.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::decoding_without_stop {

using namespace python;

namespace {

// Does the value come from choosing one word: the most likely one, or one at random?
bool chooses_token(const Expr *value, const std::vector<Symbol> &chosen) {
  return any_node(value, [&chosen](const Node *node) {
    const auto *call = as<Call>(node);
    const std::string_view name = call != nullptr ? called_name(*call) : std::string_view{};
    const auto *known = as<Name>(node);
    return name == "argmax" || name == "multinomial" ||
           (known != nullptr && std::ranges::find(chosen, known->id) != chosen.end());
  });
}

bool is_model_call(const Site &site, const Call &call) {
  const model::Value callee = site.project.callee_of(&call);
  if (callee.is(model::Value::Tag::Method)) {
    return callee.function->type != nullptr && callee.function->type->kind == Kind::TorchModule;
  }
  if (callee.is(model::Value::Tag::Object)) {
    return callee.type->kind == Kind::TorchModule;
  }
  if (callee.is_kind(Kind::TorchModule) || callee.is_kind(Kind::HfModel)) {
    return true;
  }
  // A parameter that nobody here passes anything for: `model(ids)`, `model.decode(ids)`.
  const Expr *base = call.func;
  while (const auto *attribute = as<Attribute>(base)) {
    base = attribute->value;
  }
  const auto *name = as<Name>(base);
  return callee.is_unknown() && name != nullptr &&
         std::ranges::any_of(site.function->params, [name](const Param *param) {
           return param->name == name->id && (name->id.text() == "model" || name->id.text() == "self");
         });
}

void check(Site &site, const Node &node) {
  const auto &loop = static_cast<const For &>(node);
  const model::Loop *const known = site.project.loop_at(&node);
  const auto *range = as<Call>(loop.iter);
  if (!site.module->torch || site.module->is_test || known == nullptr || known->few_iterations || known->trains ||
      site.function == nullptr || range == nullptr || called_name(*range).find("range") == std::string_view::npos) {
    return;
  }
  // The loop chooses a word, adds it to what there is, and gives that to the model again.
  std::vector<Symbol> chosen;
  const Node *growth = nullptr;
  const Call *forward = nullptr;
  bool leaves = false;
  any_node(loop.body, [&](const Node *part) {
    leaves |= part->kind == NodeKind::Break || part->kind == NodeKind::Return || part->kind == NodeKind::Raise ||
              part->kind == NodeKind::Yield;
    if (const auto *assignment = as<Assign>(part); assignment != nullptr && assignment->targets.size() == 1) {
      const auto *target = as<Name>(assignment->targets[0]);
      const auto *joined = as<Call>(run_by(assignment->value));
      const bool is_cat = joined != nullptr && called_name(*joined) == "cat";
      if (target != nullptr && is_cat && chooses_token(joined, chosen) && mentions(joined, target->id)) {
        growth = growth == nullptr ? joined : growth;
        chosen.push_back(target->id);
      } else if (target != nullptr && chooses_token(assignment->value, chosen)) {
        chosen.push_back(target->id);
      }
    }
    if (const auto *call = as<Call>(part)) {
      forward = forward == nullptr && is_model_call(site, *call) ? call : forward;
      if (called_method(*call) == "append" && call->args.size() == 1 && chooses_token(call->args[0], chosen)) {
        growth = growth == nullptr ? call : growth;
      }
    }
    return false;
  });
  if (leaves || growth == nullptr || forward == nullptr || growth->start < forward->start) {
    return;
  }
  const auto is_fed_back = [&](const Expr *given) {
    return any_node(given, [&](const Node *part) {
      const auto *name = as<Name>(part);
      return name != nullptr && std::ranges::find(chosen, name->id) != chosen.end();
    });
  };
  const bool feeds_back =
      std::ranges::any_of(forward->args, is_fed_back) ||
      std::ranges::any_of(forward->keywords, [&](const Keyword *keyword) { return is_fed_back(keyword->value); });
  // A model of characters or of fixed lengths has no end.
  const bool has_end = function_has_word(site, {"eos", "EOS", "end_token", "eot", "EOT", "stop_token", "sep_token"});
  if (!feeds_back) {
    return;
  }
  Finding &finding = report(site, Span{loop.start, loop.iter->end},
                            "decoding always runs to the maximum length, even after every sequence has ended",
                            "track which sequences have produced the end token, and leave the loop when all have");
  add_note(finding, site, *forward, "the model runs here for each token");
  add_note(finding, site, *growth, "the sequence grows here");
  if (!has_end) {
    finding.tier = Tier::Hint;
  }
}

} // namespace

extern constinit const Rule kDecodingWithoutStop = {
    .info = {.code = "DP183",
             .name = "decoding-without-stop",
             .summary = "a decoding loop that does not stop at the end token",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A loop over `range(max_length)` that runs the model, chooses the next token and feeds it back, and that nothing leaves before its end. Where the function does not mention an end
token it is a hint.

## Why it costs

Most sequences end long before the maximum length. The loop keeps running the whole model for tokens that are discarded afterwards.

## Bad

```python
import torch


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(1000, 64)
        self.out = torch.nn.Linear(64, 1000)

    def forward(self, ids):
        return self.out(self.embedding(ids))


@torch.no_grad()
def decode(model: Decoder, ids, eos, max_length):
    for _ in range(max_length):
        token = model(ids)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, token], dim=1)
    return [row[: (row == eos).nonzero()[0]] for row in ids]
```

## Good

```python
import torch


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(1000, 64)
        self.out = torch.nn.Linear(64, 1000)

    def forward(self, ids, state):
        return self.out(self.embedding(ids)), state


@torch.no_grad()
def decode(model: Decoder, token, state, eos, max_length):
    tokens = [token]
    for _ in range(max_length):
        logits, state = model(token, state)
        token = logits[:, -1].argmax(-1, keepdim=True)
        tokens.append(token)
        if (token == eos).all():
            break
    return torch.cat(tokens, dim=1)
```

## When it is wrong

Where outputs have a fixed length, as with images that are generated token by token, or under CUDA graphs; testing every few tokens is enough there.

## References

- Hugging Face Transformers: generation, stopping criteria
)"},
    .nodes = {NodeKind::For},
    .on_node = check};

} // namespace deepperf::rules::decoding_without_stop
