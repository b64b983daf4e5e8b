#include "model/definitions.h"
#include "model/variance.h"
#include "rules/dependencies.h"
#include "rules/per_item.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace deepperf::rules::index_per_query {

using namespace python;

namespace {

// `FAISS.from_texts(texts, embeddings)`, which also computes the embeddings
bool fills_itself(std::string_view api) {
  return (api.starts_with("langchain") || api.starts_with("llama_index")) &&
         (api.ends_with(".from_texts") || api.ends_with(".from_documents") || api.ends_with(".from_embeddings"));
}

bool makes_index(std::string_view api) {
  return api.starts_with("faiss.Index") || api == "faiss.index_factory" || api == "hnswlib.Index" ||
         api == "annoy.AnnoyIndex" || api == "sklearn.neighbors.NearestNeighbors" ||
         api.starts_with("rank_bm25.BM25") || fills_itself(api);
}

// What does not come from the callers of the function.
bool is_fixed(const Site &site, const Expr *expr) {
  const model::Dependencies on = dependencies_of(site, *site.function, expr);
  if (on.params == 0 && !on.varies) {
    return std::ranges::none_of(on.attributes, [&site](Symbol attribute) {
      return std::ranges::find(site.function->own_stores, attribute) != site.function->own_stores.end();
    });
  }
  // `self.vectors` alone, whatever else may be said of the object
  const auto *attribute = as<Attribute>(expr);
  return attribute != nullptr && attribute->value->kind == NodeKind::Name && !site.function->params.empty() &&
         site.function->type != nullptr &&
         static_cast<const Name *>(attribute->value)->id == site.function->params[0]->name &&
         std::ranges::find(site.function->own_stores, attribute->attr) == site.function->own_stores.end();
}

// The call that fills the index with vectors that are the same each time; null if they are not.
const Call *filled_by(const Site &site, const Call &made) {
  const FunctionDef *const definition = site.function->definition();
  if (definition == nullptr) {
    return nullptr;
  }
  const std::string_view api = called_api(site, made);
  if (api.starts_with("rank_bm25.") || fills_itself(api)) {
    return !made.args.empty() && is_fixed(site, made.args[0]) ? &made : nullptr;
  }
  struct Fillings {
    std::vector<const Call *> all; // with what is the same each time, in the order of the code
  };
  const auto find = [&] {
    Fillings found;
    any_node(definition->body, [&](const Node *node) {
      const auto *call = as<Call>(node);
      const std::string_view method = call != nullptr ? called_method(*call) : std::string_view{};
      if ((method == "add" || method == "add_items" || method == "fit" || method == "add_with_ids" ||
           method == "train") &&
          !call->args.empty() && is_fixed(site, call->args[0])) {
        found.all.push_back(call);
      }
      return false;
    });
    std::ranges::stable_sort(found.all, {}, [](const Call *call) { return call->start; });
    return found;
  };
  const std::vector<const Call *> &all = site.memory.recall<Fillings>(definition, find).all;
  const auto next = std::ranges::upper_bound(all, made.start, {}, [](const Call *call) { return call->start; });
  return next != all.end() ? *next : nullptr;
}

// Kept where the next call finds it: `self.index = …`, a cache, a global.
bool is_kept(const Site &site) {
  const FunctionDef *const definition = site.function->definition();
  const auto keeps = [&site](const Expr *decorator) { return has_word(text_of(site, decorator), {"cache", "memo"}); };
  if (definition == nullptr || std::ranges::any_of(definition->decorators, keeps) || !site.function->globals.empty()) {
    return true;
  }
  return std::ranges::any_of(site.ancestors, [](const Node *around) {
    const auto *assignment = as<Assign>(around);
    return around->kind == NodeKind::If || (assignment != nullptr && assignment->targets[0]->kind != NodeKind::Name);
  });
}

// Does each caller of the function run once for a query: in a loop over queries, or for a request?
struct Repeated {
  bool is_repeated = false;
  const model::Module *module = nullptr;
  Span place;
};

Repeated repeated(const Site &site, const model::FunctionInfo &function, u32 depth) {
  if (runs_per_request(site.project, function)) {
    return {true, nullptr, {}};
  }
  constexpr u32 kMostCallers = 3;
  for (const model::CallSite *caller : function.called_by) {
    const model::Loop *const loop = caller->loop;
    if (loop != nullptr && !loop->few_iterations && !loop->trains && loop->iterations != model::Iterations::Few &&
        !caller->once) {
      return {true, caller->caller->module, caller->call->span()};
    }
    if (depth < kMostCallers && caller->caller != &function && !caller->once &&
        caller->caller->definition() != nullptr) {
      if (const Repeated found = repeated(site, *caller->caller, depth + 1); found.is_repeated) {
        return found;
      }
    }
  }
  return {};
}

void check(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  const std::string_view api = call.fact != 0 ? called_api(site, call) : std::string_view{};
  if (!makes_index(api) || site.module->is_test || site.function == nullptr || site.function->node == nullptr ||
      is_kept(site)) {
    return;
  }
  const Call *const filled = filled_by(site, call);
  if (filled == nullptr) {
    return;
  }
  const Repeated how = repeated(site, *site.function, 0);
  if (!how.is_repeated) {
    return;
  }
  Finding &finding = report(site, call, "the index over the same vectors is built again for every query",
                            "build it once, keep it, and only search in it");
  if (filled != &call) {
    add_note(finding, site, *filled, "all vectors are added here");
  }
  if (how.module != nullptr) {
    finding.notes.push_back({how.module->file, how.place, "called repeatedly here"});
  }
}

// ---- The embeddings of a corpus -------------------------------------------------------------------------------------

// Does the function run a model of PyTorch, itself or in what it calls, without gradients and the same each time?
bool embeds(const Site &site, const model::FunctionInfo &function) {
  if (function.definition() == nullptr || function.trains) {
    return false;
  }
  struct Embeds {
    bool value = false;
  };
  const auto find = [&] {
    std::vector<const model::FunctionInfo *> functions = reached_functions(function, *function.definition());
    functions.push_back(&function);
    constexpr std::size_t kMost = 40;
    bool runs = false;
    bool is_random = functions.size() > kMost;
    for (const model::FunctionInfo *one : functions) {
      is_random |= has_word(text_of(*one), {"generate(", "sample(", "rand", "dropout", "yield", "time.", "train("});
      runs |= one->definition() != nullptr && any_node(one->definition()->body, [&](const Node *node) {
                const auto *call = as<Call>(node);
                const model::Value callee = call != nullptr ? site.project.callee_of(call) : model::Value{};
                return callee.is_kind(Kind::HfModel) || callee.is_kind(Kind::TorchModule) ||
                       (callee.is(model::Value::Tag::Object) && callee.type->kind == Kind::TorchModule);
              });
    }
    return Embeds{runs && !is_random};
  };
  return site.memory.recall<Embeds>(&function, find).value && (function.no_grad || function.decorated_no_grad);
}

// What objects hold from their constructor on: nothing else stores or extends it.
bool is_held(const Site &site, const Expr *expr) {
  const auto *attribute = as<Attribute>(expr);
  if (attribute == nullptr || !is_fixed(site, expr)) {
    return false;
  }
  const std::string name(attribute->attr.text());
  const std::string appended = name + ".append(";
  const std::string extended = name + ".extend(";
  const std::string grown = name + " +=";
  if (project_has_word(site, {appended, extended, grown})) {
    return false;
  }
  const model::Definitions &definitions = model::definitions_of(site.project);
  const auto stores = definitions.attribute_stores.find(attribute->attr.id);
  return stores != definitions.attribute_stores.end() &&
         std::ranges::all_of(stores->second, [](const model::AttributeStore &store) {
           return store.function != nullptr && store.function->name.text() == "__init__";
         });
}

// Where a property is read again and again: in a loop that trains nothing, or in a function that runs so.
Repeated repeated_property(const Site &site, const model::FunctionInfo &property) {
  const std::string name = "." + std::string(property.name.text());
  Repeated found;
  for (const model::FunctionInfo &function : site.project.functions) {
    if (function.definition() == nullptr || function.module->is_test || found.is_repeated ||
        !has_word(text_of(function), {name})) {
      continue;
    }
    const Node *read = nullptr;
    any_node(function.definition()->body, [&](const Node *node) {
      const auto *attribute = as<Attribute>(node);
      if (attribute != nullptr && attribute->attr == property.name && attribute->context == Context::Load) {
        const model::Value object = model::value_of(model::scope_of(site.project, function), attribute->value);
        const model::ClassInfo *const type = property.type;
        read =
            object.is(model::Value::Tag::Object) && std::ranges::find(object.type->mro, type) != object.type->mro.end()
                ? node
                : read;
      }
      return read != nullptr;
    });
    if (read == nullptr) {
      continue;
    }
    const auto is_around = [read](const model::Loop *loop) {
      return contains(loop->node, read) && !loop->few_iterations && !loop->trains && loop->node->kind == NodeKind::For;
    };
    found = std::ranges::any_of(function.loops, is_around) ? Repeated{true, function.module, read->span()}
                                                           : repeated(site, function, 0);
  }
  return found;
}

bool is_property(const Site &site) {
  const FunctionDef *const definition = site.function->definition();
  return definition != nullptr && definition->decorators.size() == 1 &&
         text_of(site, definition->decorators[0]) == "property";
}

// `self.encoder.encode(self.passages)` for each query.
void check_corpus(Site &site, const Call &call) {
  const model::FunctionInfo *const function = called_function(site, call);
  if (function == nullptr || has_hidden_arguments(call) || site.function->trains || is_kept(site) ||
      (model::kind_of(&call) != Kind::TorchTensor && model::kind_of(&call) != Kind::NumpyArray)) {
    return;
  }
  const Expr *corpus = nullptr;
  const auto is_same = [&](const Expr *given) {
    const bool held = is_held(site, given);
    corpus = held ? given : corpus;
    return held || given->kind == NodeKind::Constant;
  };
  const bool is_same_each_time =
      std::ranges::all_of(call.args, is_same) &&
      std::ranges::all_of(call.keywords, [&](const Keyword *given) { return is_same(given->value); });
  if (!is_same_each_time || corpus == nullptr || !embeds(site, *function) ||
      function_has_word(site, {"time.", "perf_counter"}) || site.function->name.text() == "__init__") {
    return;
  }
  const Repeated how = is_property(site) ? repeated_property(site, *site.function) : repeated(site, *site.function, 0);
  if (!how.is_repeated) {
    return;
  }
  Finding &finding =
      report(site, call, fmt::format("the model runs over all of `{}` again for every query", text_of(site, corpus)),
             "compute the embeddings once, in the constructor or a `cached_property`, and keep them");
  if (how.module != nullptr) {
    finding.notes.push_back(
        {how.module->file, how.place, is_property(site) ? "the property is read here" : "called repeatedly here"});
  }
}

void check_call(Site &site, const Node &node) {
  const auto &call = static_cast<const Call &>(node);
  check(site, node);
  if (site.function != nullptr && site.function->type != nullptr && site.module->torch && !site.module->is_test &&
      !call.args.empty()) {
    check_corpus(site, call);
  }
}

} // namespace

extern constinit const Rule kIndexPerQuery = {
    .info = {.code = "DP196",
             .name = "index-per-query",
             .summary = "a search index, or the embeddings of a corpus, computed again for every query",
             .root_cause = "API: Inefficient API Usage",
             .symptoms = "Slow Execution Time",
             .stage = "Prediction",
             .frameworks = "PyTorch",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A FAISS, hnswlib, Annoy, BM25 or nearest-neighbor index that a function creates and fills with vectors that its callers do not pass, where the
function runs for every request or in a loop. Also a method or property that embeds what its object has held since it was created, such as all
passages, and that runs for every query.

## Why it costs

Training and filling an index reads all vectors, some of them several times. A search in a finished index takes milliseconds.

## Bad

```python
import faiss
import torch


class Gallery:
    def __init__(self, path):
        self.vectors = torch.load(path, weights_only=True).numpy()

    def search(self, query):
        index = faiss.IndexFlatIP(self.vectors.shape[1])
        index.add(self.vectors)
        return index.search(query, 10)


def main(queries):
    gallery = Gallery("vectors.pt")
    return [gallery.search(query) for query in queries]
```

## Good

```python
import faiss
import torch


class Gallery:
    def __init__(self, path):
        self.vectors = torch.load(path, weights_only=True).numpy()
        self.index = faiss.IndexFlatIP(self.vectors.shape[1])
        self.index.add(self.vectors)

    def search(self, query):
        return self.index.search(query, 10)


def main(queries):
    gallery = Gallery("vectors.pt")
    return [gallery.search(query) for query in queries]
```

## When it is wrong

Where the vectors change between the queries.

## References

- FAISS: getting started
)"},
    .nodes = {NodeKind::Call},
    .on_node = check_call};

} // namespace deepperf::rules::index_per_query
