#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace deepperf::rules::batch_axis_assumed_first {

using namespace python;

namespace {

// The layer whose sequence-first output the expression is, and where it is called; nothing if it may be something else.
struct Output {
  const Call *call = nullptr;
  std::string_view layer;
};

// `nn.TransformerEncoder(layer, 6)` takes and gives what its layer does.
const Call *ordering_layer(const Site &site, const Call &maker, std::string_view &api) {
  const bool is_decoder = api == "torch.nn.TransformerDecoder";
  if (!is_decoder && api != "torch.nn.TransformerEncoder") {
    return &maker;
  }
  const Expr *const layer = argument(maker, 0, is_decoder ? "decoder_layer" : "encoder_layer");
  const model::Value value = layer != nullptr ? value_of(site_of(site, maker), layer) : model::Value{};
  if (value.maker() == nullptr || value.alternatives != nullptr || value.many) {
    return nullptr;
  }
  api = called_api(site_of(site, *value.maker()), *value.maker());
  return value.maker();
}

bool is_sequence_first(const Site &site, const Call &maker) {
  const model::Argument order = argument_of(site_of(site, maker), maker, ~0U, "batch_first");
  return order.is_absent() && !has_hidden_arguments(maker);
}

// The assignments of a function by the names that they bind, in the order of their places.
struct Bindings {
  std::unordered_map<u32, std::vector<const Assign *>> of_name;
};

Bindings find_bindings(const FunctionDef &definition) {
  Bindings bindings;
  any_node(definition.body, [&](const Node *node) {
    if (const auto *assignment = as<Assign>(node)) {
      any_node(assignment->targets[0], [&](const Node *target) {
        if (const auto *name = as<Name>(target)) {
          bindings.of_name[name->id.id].push_back(assignment);
        }
        return false;
      });
    }
    return false;
  });
  return bindings;
}

// What the name was bound to last before the place, as it is written: also the first of several, as in
// `out, _ = self.lstm(x)`.
const Expr *bound_to(const Site &site, const FunctionDef &definition, const Name &name) {
  const Bindings &bindings =
      site.memory.recall<Bindings>(&definition, [&definition] { return find_bindings(definition); });
  const auto known = bindings.of_name.find(name.id.id);
  if (known == bindings.of_name.end()) {
    return nullptr;
  }
  const auto next = std::ranges::upper_bound(known->second, name.start, {}, [](const Assign *one) { return one->end; });
  if (next == known->second.begin()) {
    return nullptr;
  }
  const Assign *const assignment = *(next - 1);
  const auto *targets = as<Tuple>(assignment->targets[0]);
  const auto *first =
      as<Name>(targets != nullptr && !targets->elts.empty() ? targets->elts[0] : assignment->targets[0]);
  return first != nullptr && first->id == name.id ? assignment->value : nullptr;
}

Output output_behind(const Site &site, const Expr *expr) {
  const auto *name = as<Name>(expr);
  const FunctionDef *const definition = site.function->definition();
  const Expr *value = name == nullptr ? expr : definition != nullptr ? bound_to(site, *definition, *name) : nullptr;
  const auto *part = as<Subscript>(value); // self.attention(x, x, x)[0]
  if (part != nullptr && integer_of(site, part->slice) == 0) {
    value = part->value;
  }
  const auto *call = as<Call>(value);
  if (call == nullptr) {
    return {};
  }
  std::string_view api;
  const Call *maker = maker_of_callee(site, *call, &api);
  maker = maker != nullptr ? ordering_layer(site, *maker, api) : nullptr;
  const bool is_layer = api == "torch.nn.LSTM" || api == "torch.nn.GRU" || api == "torch.nn.RNN" ||
                        api == "torch.nn.MultiheadAttention" || api == "torch.nn.TransformerEncoderLayer" ||
                        api == "torch.nn.TransformerDecoderLayer";
  if (maker == nullptr || !is_layer || !is_sequence_first(site, *maker)) {
    return {};
  }
  // Whoever turns the axes knows about them.
  for (const Expr *given : call->args) {
    if (has_word(text_of(site, given), {"transpose", "permute", "packed", ".t()", "swapaxes", "rearrange"})) {
      return {};
    }
  }
  return {call, api};
}

void add_finding(Site &site, const Node &place, const Output &output) {
  const std::string_view layer = output.layer.substr(output.layer.rfind('.') + 1);
  Finding &finding =
      report(site, place,
             fmt::format("the first axis of the output of `nn.{}` is time, but this treats it as the batch", layer),
             "create the layer with `batch_first=True`");
  add_note(finding, site, *output.call, "the layer has no `batch_first=True`");
}

bool permutes_axes(const Site &site) {
  return function_has_word(site,
                           {".transpose(", ".permute(", "rearrange(", "pack_padded_sequence", ".t()", "swapaxes"});
}

// `out[:, -1]`, `out[:, 0, :]`
void check_element(Site &site, const Node &node) {
  const auto &element = static_cast<const Subscript &>(node);
  const auto *axes = as<Tuple>(element.slice);
  if (axes == nullptr || axes->elts.size() < 2 || axes->elts.size() > 3 || element.context != Context::Load ||
      site.module->is_test || !site.module->torch || site.function == nullptr) {
    return;
  }
  const auto *all = as<Slice>(axes->elts[0]);
  const auto step = integer_of(site, axes->elts[1]);
  if (all == nullptr || all->lower != nullptr || all->upper != nullptr || (step != 0 && step != -1) ||
      permutes_axes(site)) {
    return;
  }
  const Output output = output_behind(site, element.value);
  if (output.call != nullptr) {
    add_finding(site, element, output);
  }
}

// `out.mean(dim=1)`
void check_reduction(Site &site, const Call &call) {
  const Expr *const axis = argument(call, 0, "dim");
  if (axis == nullptr || integer_of(site, axis) != 1 || site.module->is_test || !site.module->torch ||
      site.function == nullptr || receiver_of(call) == nullptr || permutes_axes(site)) {
    return;
  }
  const Output output = output_behind(site, receiver_of(call));
  if (output.call != nullptr) {
    add_finding(site, call, output);
  }
}

} // namespace

extern constinit const Rule kBatchAxisAssumedFirst = {
    .info = {.code = "DP899",
             .name = "batch-axis-assumed-first",
             .summary = "a sequence-first layer whose output is used as if the batch came first",
             .root_cause = "Training: Wrong Model Definition",
             .symptoms = "Wrong Result",
             .stage = "Model Building",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`out[:, -1]`, `out[:, 0]` or `out.mean(dim=1)` of the output of `nn.LSTM`, `nn.GRU`, `nn.MultiheadAttention` or a transformer of
`nn.TransformerEncoderLayer` or `nn.TransformerDecoderLayer` without `batch_first=True`, in a function that transposes no axes.

## Why it is wrong

By default these layers take and return `[time, batch, features]`. `out[:, -1]` is then the last sample of the batch, for all times, and the
layer has mixed the samples of a batch with each other. Shapes often fit anyway, and the model learns little.

## Bad

```python
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.lstm = nn.LSTM(64, 128)
        self.out = nn.Linear(128, 2)

    def forward(self, ids):
        out, _ = self.lstm(self.embed(ids))
        return self.out(out[:, -1])
```

## Good

```python
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 64)
        self.lstm = nn.LSTM(64, 128, batch_first=True)
        self.out = nn.Linear(128, 2)

    def forward(self, ids):
        out, _ = self.lstm(self.embed(ids))
        return self.out(out[:, -1])
```

## When it is wrong

Where one sample of the batch is really meant.

## References

- PyTorch: `torch.nn.LSTM`, `batch_first`
)"},
    .calls = "*.mean *.max *.amax",
    .on_call = check_reduction,
    .nodes = {NodeKind::Subscript},
    .on_node = check_element};

} // namespace deepperf::rules::batch_axis_assumed_first
