#include "rules/encoding.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace deepperf::rules::encoding_on_another_device {

using namespace python;
using model::Value;

namespace {

enum class Place : u8 { Unknown, Cpu, Gpu };

// "cuda", torch.device("cuda"), also under a name.
bool is_gpu(const Site &site, const Expr *expr) {
  if (const auto text = string_of(site, expr)) {
    return text->starts_with("cuda");
  }
  const auto *call = as<Call>(expr);
  if (call == nullptr) {
    const auto written = model::written_as(scope_of(site), expr);
    const Expr *const only = written.size() == 1 ? written[0].expr : nullptr;
    call = as<Call>(only);
  }
  return call != nullptr && called_api(site, *call) == "torch.device" && !call->args.empty() &&
         string_of(site, call->args[0]).value_or("").starts_with("cuda");
}

// Where `….to("cuda")`, `….cuda()` or a loader with `device_map` puts it, from the end of the chain on.
Place place_of(const Site &site, const Expr *made) {
  for (const auto *call = as<Call>(made); call != nullptr; call = as<Call>(receiver_of(*call))) {
    const std::string_view method = called_method(*call);
    if (method == "cuda") {
      return Place::Gpu;
    }
    if (method == "to") {
      return call->args.size() == 1 && is_gpu(site, call->args[0]) ? Place::Gpu : Place::Unknown;
    }
    if (method == "from_pretrained") {
      const bool is_mapped = has_hidden_arguments(*call) || keyword_argument(*call, "device_map") != nullptr ||
                             keyword_argument(*call, "quantization_config") != nullptr ||
                             keyword_argument(*call, "load_in_8bit") != nullptr ||
                             keyword_argument(*call, "load_in_4bit") != nullptr;
      return is_mapped ? Place::Unknown : Place::Cpu;
    }
    if (method != "eval" && method != "half" && method != "bfloat16" && method != "train") {
      return Place::Unknown;
    }
  }
  return Place::Unknown;
}

// What a file assigns to names and attributes, by how these are written; null where several statements do.
struct OnlyValues {
  std::unordered_map<std::string_view, const Expr *> of;
};

OnlyValues find_only_values(const Site &site) {
  OnlyValues found;
  const auto note = [&](const Expr *target, const Expr *value) {
    const auto [place, is_new] = found.of.try_emplace(text_of(site, target), value);
    place->second = is_new ? value : nullptr;
  };
  for (const Stmt *statement : site.module->parsed->tree.body) {
    any_node_inside(static_cast<const Node *>(statement), [&](const Node *node) {
      const auto *assignment = as<Assign>(node);
      for (u32 i = 0; assignment != nullptr && i < assignment->targets.size(); ++i) {
        note(assignment->targets[i], assignment->value);
        if (const auto *parts = as<Tuple>(assignment->targets[i])) {
          std::ranges::for_each(parts->elts, [&](const Expr *part) { note(part, nullptr); });
        }
      }
      return false;
    });
  }
  return found;
}

// The assignment of a name or attribute that is the only one in its file; null if there are several.
const Expr *only_value(const Site &site, std::string_view written) {
  const auto &values = site.memory.recall<OnlyValues>(site.module, [&site] { return find_only_values(site); }).of;
  const auto value = values.find(written);
  return value != values.end() ? value->second : nullptr;
}

// The name that `**batch` unpacks, and the call of the tokenizer that is all of its value.
struct Unpacked {
  const Call *encoding = nullptr;
  Place place = Place::Unknown;
};

Unpacked unpacked(const Site &site, const Call &call) {
  const Keyword *hidden = nullptr;
  for (const Keyword *keyword : call.keywords) {
    hidden = !keyword->name ? keyword : hidden;
  }
  const auto *name = hidden != nullptr ? as<Name>(hidden->value) : nullptr;
  const auto *value = as<Call>(name != nullptr     ? last_assigned(site, *name)
                               : hidden != nullptr ? hidden->value
                                                   : nullptr);
  if (value == nullptr) {
    return {};
  }
  const bool is_moved = called_method(*value) == "to" && value->args.size() == 1;
  const auto *made = is_moved ? as<Call>(receiver_of(*value)) : value;
  if (made == nullptr || model::kind_of(made->func) != Kind::HfTokenizer) {
    return {};
  }
  if (is_moved) {
    return {made, is_gpu(site, value->args[0]) ? Place::Gpu : Place::Unknown};
  }
  // enc.to(device) changes it in place.
  const std::string moved = name != nullptr ? std::string(name->id.text()) + ".to(" : std::string("");
  if (name != nullptr && function_has_word(site, {std::string_view(moved), "pin_memory"})) {
    return {};
  }
  const Keyword *const tensors = keyword_argument(*made, "return_tensors");
  return tensors != nullptr && string_of(site, tensors->value) == "pt" ? Unpacked{made, Place::Cpu} : Unpacked{};
}

void check(Site &site, const Call &call) {
  const Expr *const model = called_method(call) == "generate" ? receiver_of(call) : call.func;
  if (site.function == nullptr || site.module->is_test || model == nullptr ||
      (model->kind != NodeKind::Name && model->kind != NodeKind::Attribute) || model::kind_of(model) != Kind::HfModel) {
    return;
  }
  const Unpacked batch = unpacked(site, call);
  const std::string_view written = text_of(site, model);
  const Expr *const made = batch.place != Place::Unknown ? only_value(site, written) : nullptr;
  const Place place = made != nullptr ? place_of(site, made) : Place::Unknown;
  // Others may reach it by another object: encoder.model.to(device)
  const std::string last(model->kind == NodeKind::Attribute ? static_cast<const Attribute *>(model)->attr.text()
                                                            : written);
  const std::string to = last + ".to(";
  const std::string cuda = last + ".cuda(";
  if (place == Place::Unknown || place == batch.place ||
      project_has_word(site, {std::string_view(to), std::string_view(cuda)}) ||
      file_has_word(site, {"set_default_device", "set_default_tensor_type", "accelerat", "Accelerat", "Trainer",
                           "prepare(", "pipeline(", ".modules(", "DataParallel", "dispatch_model"})) {
    return;
  }
  Finding &finding = batch.place == Place::Cpu
                         ? report(site, call, "the model is on the GPU, but these texts are encoded on the CPU",
                                  "move them: `tokenizer(…).to(model.device)`")
                         : report(site, call, "these texts are moved to the GPU, but the model never is",
                                  "move the model where it is created: `.to(\"cuda\")`");
  add_note(finding, site, *batch.encoding, "the texts are encoded here");
  add_note(finding, site, *made, "the model is created here");
}

} // namespace

extern constinit const Rule kEncodingOnAnotherDevice = {
    .info = {.code = "DP942",
             .name = "encoding-on-another-device",
             .summary = "encoded texts that are not on the device of the model",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Program Crash",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A Hugging Face model that was moved to the GPU and is called on what the tokenizer returned, which is on the CPU; or texts that are moved to
the GPU for a model that never was.

## Why it is wrong

The embedding layer fails: "Expected all tensors to be on the same device".

## Bad

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").to("cuda")


@torch.no_grad()
def embed(texts):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    return model(**batch).last_hidden_state[:, 0]
```

## Good

```python
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").to("cuda")


@torch.no_grad()
def embed(texts):
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt").to("cuda")
    return model(**batch).last_hidden_state[:, 0]
```

## When it is wrong

Where other code moves one of them; files that set a default device are not reported.

## References

- Transformers: `BatchEncoding.to`
)"},
    .calls = "HfModel.__call__ HfModel.generate",
    .on_call = check};

} // namespace deepperf::rules::encoding_on_another_device
