#include "python/literals.h"
#include "rules/assignments.h"
#include "rules/copies.h"
#include "rules/made_on_host.h"
#include "rules/optimizer_module.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::embeddings_on_gpu {

using namespace python;

namespace {

// What becomes of the tensor where it is used: `.float().cpu()` copies it, `.shape` reads nothing of it, everything
// else may need it on the device.
enum class Use : u8 { Copied, Nothing, Other };

// `ancestors` lead from the function to the use.
Use use_of(const Source &source, const std::vector<const Node *> &ancestors, const Node *used) {
  const Node *at = used;
  for (std::size_t i = ancestors.size(); i-- > 0;) {
    const auto *member = as<Attribute>(ancestors[i]);
    if (member != nullptr && member->value == at) {
      const std::string_view name = member->attr.text();
      if (name == "cpu" || name == "tolist" || name == "numpy") {
        return Use::Copied;
      }
      if (name == "shape" || name == "size" || name == "dim" || name == "ndim" || name == "dtype") {
        return Use::Nothing;
      }
      constexpr std::string_view kSame[] = {"float", "half", "detach", "contiguous", "to", "double"};
      if (std::ranges::find(kSame, name) == std::end(kSame)) {
        return Use::Other;
      }
      at = member;
    } else if (const auto *call = as<Call>(ancestors[i]); call != nullptr && call->func == at) {
      const Expr *const target = !call->args.empty() ? call->args[0] : nullptr;
      const StringConstant *const device = target != nullptr ? as_string(target) : nullptr;
      if (device != nullptr) {
        return string_value(source, *device) == "cpu" ? Use::Copied : Use::Other;
      }
      at = call;
    } else if (call != nullptr && called_name(*call) == "len") {
      return Use::Nothing;
    } else {
      return Use::Other;
    }
  }
  return Use::Other;
}

struct Uses {
  const Node *copied = nullptr;
  bool has_other = false;
};

void find_uses(const Source &source, const Node *node, Symbol name, u32 from, std::vector<const Node *> &ancestors,
               Uses &found) {
  const auto *use = as<Name>(node);
  if (use != nullptr && use->id == name && use->context == Context::Load && use->start >= from) {
    const Use what = use_of(source, ancestors, use);
    found.copied = what == Use::Copied ? use : found.copied;
    found.has_other |= what == Use::Other;
  }
  ancestors.push_back(node);
  for_each_child(node, [&](const Node *child) { find_uses(source, child, name, from, ancestors, found); });
  ancestors.pop_back();
}

// How a function uses what it assigns to a name.
Uses uses_of(const Site &site, Symbol name, u32 from) {
  Uses found;
  std::vector<const Node *> ancestors;
  const FunctionDef *const definition = site.function->definition();
  for (const Stmt *statement : definition != nullptr ? definition->body : site.module->parsed->tree.body) {
    find_uses(site.module->parsed->source, statement, name, from, ancestors, found);
    // `vectors = vectors.cpu().numpy()`: from here on the name holds the copy.
    const auto *assignment = as<Assign>(statement);
    const auto *target =
        assignment != nullptr && assignment->targets.size() == 1 ? as<Name>(assignment->targets[0]) : nullptr;
    if (target != nullptr && target->id == name && statement->start >= from) {
      break;
    }
  }
  return found;
}

// Where the value of the call at the place is copied to the host and not used in another way; null if it is.
const Node *copied_at(const Site &site, const Call &call, const model::FunctionInfo **where, u32 depth) {
  constexpr u32 kMostDepth = 2;
  *where = site.function;
  if (use_of(site.module->parsed->source, site.ancestors, &call) == Use::Copied) {
    return &call;
  }
  const Node *const parent = !site.ancestors.empty() ? site.ancestors.back() : nullptr;
  const auto *assignment = as<Assign>(parent);
  const auto *name =
      assignment != nullptr && assignment->targets.size() == 1 && assignment->value == original_of(site, &call)
          ? as<Name>(assignment->targets[0])
          : nullptr;
  if (name != nullptr) {
    const Uses uses = uses_of(site, name->id, assignment->end);
    return uses.has_other ? nullptr : uses.copied;
  }
  const auto *result = as<Return>(parent);
  if (result == nullptr || depth == kMostDepth || site.function->called_by.size() != 1) {
    return nullptr;
  }
  const model::CallSite &caller = *site.function->called_by[0];
  if (caller.loop != nullptr) {
    return nullptr;
  }
  return copied_at(site_at(site, *caller.caller, *caller.call), *caller.call, where, depth + 1);
}

// A text, or a list of one.
bool is_single(const Site &site, const Expr *texts) {
  const auto *list = as<List>(texts);
  return texts == nullptr || string_of(site, texts).has_value() || texts->kind == NodeKind::JoinedStr ||
         (list != nullptr && list->elts.size() < 3);
}

void check(Site &site, const Call &call) {
  if (site.function == nullptr || site.module->is_test || loop_around(site) != nullptr || context_of(site).repeated) {
    return;
  }
  constexpr u32 kToTensor = 8;
  const auto tensor =
      setting_of(site, argument_of(site, call, kToTensor, "convert_to_tensor"), model::ConstantValue::of(false));
  if (!tensor.has_value() || tensor->as_bool() != true || is_single(site, argument(call, 0, "sentences"))) {
    return;
  }
  const model::FunctionInfo *where = nullptr;
  const Node *const copied = copied_at(site, call, &where, 0);
  if (copied == nullptr) {
    return;
  }
  Finding &finding = report(
      site, call,
      "`convert_to_tensor=True` keeps the embeddings of all texts on the GPU, though they are used on the CPU",
      "omit it: `encode` then copies each batch to a NumPy array, and `torch.from_numpy()` converts it to a tensor");
  if (copied != &call) {
    finding.notes.push_back({where->module->file, copied->span(), "they are copied to the CPU here"});
  }
}

} // namespace

extern constinit const Rule kEmbeddingsOnGpu = {
    .info = {.code = "DP484",
             .name = "embeddings-on-gpu",
             .summary = "embeddings of a whole corpus that are collected on the GPU to be used on the CPU",
             .root_cause = "Data: Inefficient Data Transmission",
             .symptoms = "Out of Memory, Abnormal GPU Memory Usage",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Advice,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`encode(texts, convert_to_tensor=True)` of Sentence Transformers outside of a loop, whose result is copied to the CPU as a whole: `.cpu()`,
`.numpy()` or `.tolist()`, also by the caller.

## Why it costs

With that option all batches stay on the GPU and are put together there, which needs twice their memory for a moment: a million vectors
of 768 float32 numbers are 3 GB. Without it each batch is copied to the host as soon as it is computed.

## Bad

```python
from sentence_transformers import SentenceTransformer


def embed(passages):
    encoder = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
    return encoder.encode(passages, batch_size=256, convert_to_tensor=True).cpu().numpy()
```

## Good

```python
from sentence_transformers import SentenceTransformer


def embed(passages):
    encoder = SentenceTransformer("all-MiniLM-L6-v2", device="cuda")
    return encoder.encode(passages, batch_size=256)
```

## When it is wrong

For a few thousand texts the memory does not matter.

## References

- Sentence Transformers: `SentenceTransformer.encode`, `convert_to_tensor`
)"},
    .calls = "HfEncoder.encode HfEncoder.encode_document",
    .on_call = check};

} // namespace deepperf::rules::embeddings_on_gpu
