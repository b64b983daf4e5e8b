#include "base/known_names.h"
#include "base/name_table.h"
#include "model/classes.h"
#include "rules/encoding.h"
#include "rules/made_on_host.h"
#include "rules/name_places.h"
#include "rules/optimizer_module.h"
#include "rules/per_step.h"
#include "rules/processes.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace deepperf::rules::outputs_kept {

using namespace python;

namespace {

// How many numbers a model gives for a sample: one for each class and each pixel or token, or fewer.
enum class Size : u8 { Unknown, Scores, Dense };

bool gives_map(std::string_view api) {
  return has_word(api, {"Segmentation", "CausalLM", "MaskedLM", "ConditionalGeneration", "LMHeadModel",
                        "DepthEstimation", "torchvision.models.segmentation", "segmentation_models_pytorch", "UNet2D"});
}

bool gives_map_itself(std::string_view layer) {
  return layer == "torch.nn.Conv2d" || layer == "torch.nn.ConvTranspose2d" || layer == "torch.nn.Conv3d" ||
         layer == "torch.nn.ConvTranspose3d" || layer == "torch.nn.Upsample";
}

// A convolution whose result nobody has pooled or flattened gives a map.
bool is_map(const model::Value &value) {
  if (!value.is_kind(Kind::TorchTensor) || !value.name() || value.alternatives != nullptr) {
    return false;
  }
  const std::string_view maker = value.name().text();
  return gives_map_itself(maker) || maker == "torch.nn.functional.interpolate";
}

Size size_of(const Site &site, const Expr *expr, u32 depth = 0);

// Of an object of the project's own class: what its forward() returns at its end.
Size size_of_own(const Site &site, const model::ClassInfo &type, u32 depth) {
  const model::FunctionInfo *const forward = model::find_method_of(type, known::sym_forward);
  const FunctionDef *const definition = forward != nullptr ? forward->definition() : nullptr;
  const auto *last = definition != nullptr && !definition->body.empty()
                         ? as<Return>(definition->body[definition->body.size() - 1])
                         : nullptr;
  const bool is_map = last != nullptr && last->value != nullptr &&
                      size_of(site_inside(site, *forward), last->value, depth + 1) == Size::Dense;
  return is_map ? Size::Dense : Size::Scores;
}

// Of a parameter, as all callers pass it: `metric.update(logits, target)`.
Size size_of_passed(const Site &site, Symbol parameter, u32 depth) {
  Size found = Size::Unknown;
  for (const Passed &passed : passed_for(*site.function, parameter)) {
    if (passed.value == nullptr || model::is_on_cpu(passed.value)) {
      return Size::Unknown;
    }
    const Site there = site_at(site, *passed.site);
    const Size one = size_of(there, passed.value, depth + 1);
    if (one == Size::Unknown || (found != Size::Unknown && one != found)) {
      return Size::Unknown;
    }
    found = one;
  }
  return found;
}

// What the model gave, with nothing but what keeps its size done to it.
Size size_of(const Site &site, const Expr *expr, u32 depth) {
  if (depth > 6) {
    return Size::Unknown;
  }
  if (const auto *name = as<Name>(expr)) {
    const Expr *value = last_assigned(site, *name);
    value = value == nullptr ? assigned_to(site, *name) : value;
    if (value == nullptr && site.function != nullptr) {
      return size_of_passed(site, name->id, depth);
    }
    return value != nullptr && value->end <= name->start ? size_of(site, value, depth + 1) : Size::Unknown;
  }
  if (const auto *attribute = as<Attribute>(expr)) {
    return attribute->attr.text() == "logits" ? size_of(site, attribute->value, depth + 1) : Size::Unknown;
  }
  if (const auto *part = as<Subscript>(expr)) {
    return string_of(site, part->slice).has_value() || integer_of(site, part->slice) == 0
               ? size_of(site, part->value, depth + 1)
               : Size::Unknown;
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    return Size::Unknown;
  }
  const std::string_view api = called_api(site, *call);
  if (api == "torch.nn.functional.interpolate" || api == "torch.nn.functional.upsample") {
    return Size::Dense;
  }
  const std::string_view method = called_method(*call);
  if (method == "float" || method == "softmax" || method == "detach" || method == "log_softmax" ||
      method == "sigmoid") {
    return size_of(site, receiver_of(*call), depth + 1);
  }
  if (api == "torch.softmax" || api == "torch.nn.functional.softmax") {
    return !call->args.empty() ? size_of(site, call->args[0], depth + 1) : Size::Unknown;
  }
  // An object of the project's own class, or `self(x)`.
  const model::Value callee = site.project.callee_of(call);
  if (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule) {
    return size_of_own(site, *callee.type, depth);
  }
  const Kind kind = model::kind_of(call->func);
  if (kind == Kind::HfModel || kind == Kind::TorchModule) {
    std::string_view maker;
    maker_of_callee(site, *call, &maker);
    return gives_map(maker) || gives_map_itself(maker) ? Size::Dense : Size::Scores;
  }
  return Size::Unknown;
}

// The list that is appended to: a name of the function, or an attribute of the object.
struct List {
  Symbol name;
  bool is_attribute = false;
};

// A list by a number, for maps.
u64 key_of(const List &list) { return (u64{list.name.id} << 1) | (list.is_attribute ? 1 : 0); }

// The list that the expression is.
std::optional<u64> list_at(const Node *node) {
  if (const auto *name = as<Name>(node)) {
    return key_of({name->id, false});
  }
  const auto *attribute = as<Attribute>(node);
  return attribute != nullptr ? std::optional<u64>(key_of({attribute->attr, true})) : std::nullopt;
}

// Of lists that a class or function fills: the first call of argmax that reads all their elements together, as
// `torch.cat(outputs)`, or one after the other.
struct ReadByArgmax {
  std::unordered_map<u64, const Call *> of_list;
};

// One look at the code, for all lists that it has.
class ArgmaxSearch {
public:
  explicit ArgmaxSearch(const Site &site) : site_(site) {}

  void visit(const Node *node) {
    if (const auto *loop = as<For>(node)) {
      note_elements(loop->target, loop->iter);
    } else if (node->kind == NodeKind::ListComp || node->kind == NodeKind::GeneratorExp) {
      for (const Comprehension *generator : static_cast<const ComprehensionExpr *>(node)->generators) {
        note_elements(generator->target, generator->iter);
      }
    } else if (const auto *assignment = as<Assign>(node)) {
      note_assigned(*assignment);
    } else if (const auto *call = as<Call>(node)) {
      if (called_name(*call) == "argmax") {
        note_argmax(*call);
      } else if (!call->args.empty()) {
        note_passed(*call);
      }
    }
  }

  ReadByArgmax found;

private:
  // The lists whose elements the expression joins: `torch.cat(self.outputs)`.
  [[nodiscard]] std::vector<u64> joined_in(const Expr *expr) const {
    std::vector<u64> lists;
    const auto *call = as<Call>(expr);
    const std::string_view api = call != nullptr ? called_api(site_, *call) : std::string_view{};
    if ((api == "torch.cat" || api == "torch.concat" || api == "torch.vstack" || api == "torch.stack") &&
        !call->args.empty()) {
      any_node(call->args[0], [&lists](const Node *part) {
        if (const std::optional<u64> list = list_at(part)) {
          lists.push_back(*list);
        }
        return false;
      });
    }
    return lists;
  }

  void note(const Expr *target, std::span<const u64> lists) {
    if (const auto *name = as<Name>(target); name != nullptr && !lists.empty()) {
      std::vector<u64> &all = joined_[name->id.id];
      constexpr std::size_t kMost = 16; // lists under one name
      all.insert(all.end(), lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(std::min(lists.size(), kMost)));
      all.resize(std::min(all.size(), kMost));
    }
  }

  void note_assigned(const Assign &assignment) {
    note(assignment.targets[0], joined_in(assignment.value));
    const auto *targets = as<Tuple>(assignment.targets[0]);
    const auto *values = as<Tuple>(assignment.value);
    for (u32 i = 0; targets != nullptr && values != nullptr && i < targets->elts.size() && i < values->elts.size();
         ++i) {
      note(targets->elts[i], joined_in(values->elts[i]));
    }
  }

  // The outputs one after the other: `for output, target in zip(self.outputs, self.targets)`.
  void note_elements(const Expr *target, const Expr *iter) {
    const auto note_one = [this](const Expr *element, const Expr *over) {
      if (const std::optional<u64> list = list_at(over)) {
        note(element, {&*list, 1});
      }
    };
    const auto *call = as<Call>(iter);
    const auto *targets = as<Tuple>(target);
    if (targets != nullptr && call != nullptr && called_api(site_, *call) == "zip") {
      for (u32 i = 0; i < targets->elts.size() && i < call->args.size(); ++i) {
        note_one(targets->elts[i], call->args[i]);
      }
    } else if (targets == nullptr) {
      note_one(target, iter);
    } else if (!targets->elts.empty()) {
      note_one(targets->elts[0], iter); // the list has pairs
    }
  }

  void note_argmax(const Call &call) {
    const Expr *subject = called_api(site_, call) == "torch.argmax" ? argument(call, 0, "input") : receiver_of(call);
    if (const auto *name = as<Name>(subject)) {
      const auto known = joined_.find(name->id.id);
      for (const u64 list : known != joined_.end() ? known->second : std::vector<u64>()) {
        found.of_list.try_emplace(list, &call);
      }
    } else if (subject != nullptr) {
      for (const u64 list : joined_in(subject)) {
        found.of_list.try_emplace(list, &call);
      }
    }
  }

  // `count(torch.cat(outputs), …)`: a function of the project that takes the argmax of what it is given, and nothing
  // else.
  void note_passed(const Call &call) {
    for (u32 i = 0; i < call.args.size(); ++i) {
      std::vector<u64> lists = joined_in(call.args[i]);
      if (const auto *name = as<Name>(call.args[i])) {
        const auto known = joined_.find(name->id.id);
        lists = known != joined_.end() ? known->second : lists;
      }
      const model::FunctionInfo *const function = !lists.empty() ? called_function(site_, call) : nullptr;
      const FunctionDef *const definition = function != nullptr ? function->definition() : nullptr;
      if (definition == nullptr || function->type != nullptr || i >= function->params.size()) {
        continue;
      }
      const Call *reduced = nullptr;
      u32 values = 0; // other uses than `logits.device` and the like
      any_node(definition->body, [&](const Node *node) {
        const auto *name = as<Name>(node);
        values += name != nullptr && name->id == function->params[i]->name ? 1 : 0;
        const auto *fact = as<Attribute>(node);
        const auto *of = fact != nullptr ? as<Name>(fact->value) : nullptr;
        const bool is_fact = fact != nullptr && (fact->attr.text() == "device" || fact->attr.text() == "shape");
        values -= is_fact && of != nullptr && of->id == function->params[i]->name ? 1 : 0;
        const auto *inner = as<Call>(node);
        const auto *subject = inner != nullptr && called_name(*inner) == "argmax"
                                  ? as<Name>(receiver_of(*inner) != nullptr && called_api(site_, *inner).empty()
                                                 ? receiver_of(*inner)
                                                 : argument(*inner, 0, "input"))
                                  : nullptr;
        reduced = subject != nullptr && subject->id == function->params[i]->name ? inner : reduced;
        return false;
      });
      if (reduced != nullptr && values == 1) {
        for (const u64 list : lists) {
          found.of_list.try_emplace(list, &call);
        }
      }
    }
  }

  const Site &site_;
  std::unordered_map<u32, std::vector<u64>> joined_; // by name: the lists that it has the elements of
};

// In the class around the place, or else in the function or module.
const Call *read_by_argmax(const Site &site, const List &list) {
  const Node *const scope = site.type != nullptr ? static_cast<const Node *>(site.type->node) : site.function->node;
  const void *const about = scope != nullptr ? static_cast<const void *>(scope) : site.module;
  const ReadByArgmax &reads = site.memory.recall<ReadByArgmax>(about, [&] {
    ArgmaxSearch search(site);
    const auto visit = [&search](const Node *node) {
      search.visit(node);
      return false;
    };
    if (scope != nullptr) {
      any_node_inside(scope, visit);
    } else {
      for (const Stmt *statement : site.module->parsed->tree.body) {
        any_node_inside(statement, visit);
      }
    }
    return search.found;
  });
  const auto found = reads.of_list.find(key_of(list));
  return found != reads.of_list.end() ? found->second : nullptr;
}

// Is the list filled and then gone through, element by element, and read in no other way? Then each output could be
// used when it is made.
const Node *gone_through(const Site &site, const List &list) {
  const Node *found = nullptr;
  const auto is_list = [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && name->id == list.name && name->context == Context::Load;
  };
  const auto is_gone_through = [&](const Node *place) {
    const auto *zipped = as<Call>(place);
    const bool is_zip = zipped != nullptr && (called_name(*zipped) == "zip" || called_name(*zipped) == "enumerate");
    if (!is_list(place) && !(is_zip && std::ranges::any_of(zipped->args, is_list))) {
      return false;
    }
    const std::vector<const Node *> around = ancestors_of(site, *place);
    const auto *loop = around.empty() ? nullptr : as<For>(around.back());
    return loop != nullptr && loop->iter == place;
  };
  const auto reads = [&](const auto &self, const Node *node) -> bool {
    const auto *call = as<Call>(node);
    if (call != nullptr && receiver_of(*call) != nullptr && is_list(receiver_of(*call)) &&
        called_method(*call) == "append") {
      return std::ranges::any_of(call->args, [&](const Expr *given) { return self(self, given); });
    }
    bool is_read = is_list(node);
    for_each_child(node, [&](const Node *child) { is_read = is_read || self(self, child); });
    return is_read;
  };
  for (const Node *place : places_of_name(site, *site.function, list.name)) {
    if (is_gone_through(place)) {
      found = place;
    } else if (reads(reads, place)) {
      return nullptr;
    }
  }
  return found;
}

void check(Site &site, const Call &call) {
  const Expr *owner = receiver_of(call);
  const auto *plain = as<Name>(owner);
  const auto *attribute = as<Attribute>(owner);
  const bool evaluates = context_of(site).in_evaluation_step || (in_step(site) && !in_training_step(site));
  if (call.args.size() != 1 || owner == nullptr || site.function == nullptr || site.module->is_test || !evaluates ||
      (plain == nullptr && attribute == nullptr)) {
    return;
  }
  const List list{plain != nullptr ? plain->id : attribute->attr, plain == nullptr};
  const auto *tuple = as<Tuple>(call.args[0]);
  const Expr *kept = tuple != nullptr && !tuple->elts.empty() ? tuple->elts[0] : call.args[0];
  Size size = size_of(site, kept);
  if (size == Size::Scores && is_map(value_of(site, kept))) {
    size = Size::Dense;
  }
  if (size == Size::Unknown || model::is_on_cpu(kept) || model::kind_of(kept) == Kind::NumpyArray) {
    return;
  }
  const Call *const read = read_by_argmax(site, list);
  if (read == nullptr && plain != nullptr && size == Size::Dense && site.function->node != nullptr) {
    if (const Node *const again = gone_through(site, list)) {
      Finding &finding =
          report(site, call, "the outputs of all batches stay in memory, though each is used on its own afterwards",
                 "use each output in this loop, and keep the sums and counts that are needed");
      add_note(finding, site, *again, "they are processed one by one here");
      return;
    }
  }
  if (read == nullptr) {
    return;
  }
  Finding &finding =
      report(site, call, "the outputs of all batches stay on the GPU, though only their argmax is needed",
             "append `argmax` of each batch, or update a metric with each batch");
  add_note(finding, site, *read, "all of them are reduced only here");
  if (size != Size::Dense) {
    finding.tier = Tier::Hint; // a few classes take little memory
  }
}

} // namespace

extern constinit const Rule kOutputsKept = {
    .info = {.code = "DP450",
             .name = "outputs-kept",
             .summary =
                 "an evaluation that keeps the outputs of all batches on the GPU to take their argmax at the end",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Abnormal GPU Memory Usage, Out of Memory",
             .stage = "Evaluation",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A list to which an evaluation appends the logits of every batch, and which is concatenated at the end and only read through `argmax`, or gone
through one by one. It is a
hint unless the model gives one score for each class and each pixel or token.

## Why it costs

Logits are as large as the predictions times the number of classes. For segmentation or language modeling that is gigabytes for a few hundred
samples, and the concatenation needs the same memory again.

## Bad

```python
import torch
from transformers import SegformerForSemanticSegmentation

model = SegformerForSemanticSegmentation.from_pretrained("nvidia/segformer-b0-finetuned-ade-512-512").cuda().eval()


@torch.no_grad()
def predict(loader):
    outputs = []
    for pixels in loader:
        outputs.append(model(pixels.cuda()).logits)
    return torch.cat(outputs).argmax(1)
```

## Good

```python
import torch
from transformers import SegformerForSemanticSegmentation

model = SegformerForSemanticSegmentation.from_pretrained("nvidia/segformer-b0-finetuned-ade-512-512").cuda().eval()


@torch.no_grad()
def predict(loader):
    outputs = []
    for pixels in loader:
        outputs.append(model(pixels.cuda()).logits.argmax(1))
    return torch.cat(outputs)
```

## When it is wrong

For a handful of small batches.

## References

- TorchMetrics: overview, `update` and `compute`
)"},
    .calls = "*.append",
    .on_call = check};

} // namespace deepperf::rules::outputs_kept
