#include "rules/sample_cost.h"

#include "base/name_table.h"
#include "model/classes.h"
#include "python/children.h"
#include "rules/callables.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

Symbol get_item() {
  static const Symbol kGetItem = intern("__getitem__");
  return kGetItem;
}

Symbol iterate() {
  static const Symbol kIter = intern("__iter__");
  return kIter;
}

// What a function that prepares samples does, with the functions of the project that it calls.
class Work {
public:
  explicit Work(const model::Project &project) : project_(project) {}

  bool moves = false;         // to a device: what it gives cannot come from another process
  bool is_unknown = false;    // it does something of which nobody knows what it takes
  const Node *hard = nullptr; // reads, decodes, tokenizes or transforms
  const FunctionInfo *where = nullptr;

  void look_at(const FunctionInfo *function, u32 depth = 0) {
    constexpr u32 kMostDepth = 3;
    constexpr std::size_t kMostFunctions = 24;
    const FunctionInfo *const outer = function_;
    if (function == nullptr || function->node == nullptr || depth > kMostDepth || seen_.size() > kMostFunctions) {
      is_unknown = true;
      return;
    }
    if (std::ranges::find(seen_, function) != seen_.end()) {
      return;
    }
    seen_.push_back(function);
    function_ = function;
    depth_ = depth;
    for_each_child(function->node, [this](const Node *child) { visit(child); });
    function_ = outer;
    depth_ = depth > 0 ? depth - 1 : 0;
  }

private:
  void found(const Node *node) {
    if (hard == nullptr) {
      hard = node;
      where = function_;
    }
  }

  void visit(const Node *node) {
    if (node->kind == NodeKind::FunctionDef || node->kind == NodeKind::Raise || node->kind == NodeKind::Assert) {
      return; // only a call of it does anything; or it is not what happens to every sample
    }
    if (const auto *call = as<Call>(node)) {
      const Value callee = project_.callee_of(call);
      if (callee.known()) {
        see_call(*call, callee);
      } else {
        see_unknown(*call);
      }
    } else if (const auto *subscript = as<Subscript>(node); subscript != nullptr && node->context == Context::Load) {
      see_subscript(*subscript);
    }
    for_each_child(node, [this](const Node *child) { visit(child); });
  }

  void see_call(const Call &call, const Value &callee) {
    switch (callee.tag) {
    case Value::Tag::Api: {
      const std::string_view name = callee.name().text();
      const ApiInfo *info = find_api(callee.name());
      if (name == "print" || name.starts_with("logging.")) {
        return;
      }
      if ((info != nullptr && info->has(kIo | kDecode)) || transforms_signal(name)) {
        found(&call);
      } else if (info == nullptr && !name.starts_with("torch.") && !name.starts_with("numpy.")) {
        is_unknown = true;
      }
      return;
    }
    case Value::Tag::ApiMethod: {
      const Kind kind = callee.receiver().kind;
      const ApiInfo *info = find_method(kind, callee.name());
      if ((kind == Kind::HfTokenizer && splits_text(callee.name())) || (info != nullptr && info->has(kIo | kDecode))) {
        found(&call);
      }
      moves |= info != nullptr && info->has(kMoves);
      return;
    }
    case Value::Tag::Instance:
      if (callee.kind == Kind::HfTokenizer || callee.kind == Kind::HfPipeline || callee.kind == Kind::HfProcessor ||
          is_transform(callee)) {
        found(&call);
      } else {
        is_unknown = true;
      }
      return;
    case Value::Tag::Function:
    case Value::Tag::Method:
      return enter(callee.function);
    case Value::Tag::Object:
      return enter(model::find_method_of(*callee.type, intern("__call__")));
    default:
      see_unknown(call);
    }
  }

  // Spectra, filters and what is done to whole pictures: far more than a batch takes to be stacked.
  static bool transforms_signal(std::string_view api) {
    static constexpr std::string_view kFamilies[] = {"torchvision.transforms.",
                                                     "albumentations.",
                                                     "numpy.fft.",
                                                     "scipy.signal.",
                                                     "scipy.ndimage.",
                                                     "scipy.fft.",
                                                     "librosa.",
                                                     "skimage.",
                                                     "torch.fft.",
                                                     "torch.stft",
                                                     "torchaudio."};
    return std::ranges::any_of(kFamilies, [&](std::string_view family) { return api.starts_with(family); });
  }

  // Padding and looking up tokens is little work next to finding them.
  static bool splits_text(Symbol method) {
    static const NameTable kMethods({"__call__", "encode", "encode_plus", "batch_encode_plus", "tokenize"});
    return kMethods.has(method);
  }

  static bool is_transform(const Value &value) {
    return value.name() && value.name().text().starts_with("torchvision.transforms.");
  }

  void enter(const FunctionInfo *function) {
    const u32 depth = depth_;
    look_at(function, depth + 1);
    depth_ = depth;
  }

  void see_unknown(const Call &call) {
    static const NameTable kHard({"transform", "transforms", "_transform", "_transforms", "tokenizer", "tokenize",
                                  "encode_plus", "batch_encode_plus", "imread", "read_image", "processor",
                                  "image_processor", "feature_extractor"});
    static const NameTable kLight({"float",     "long",    "int",     "item",      "astype", "copy",     "clone",
                                   "append",    "get",     "keys",    "items",     "values", "view",     "reshape",
                                   "unsqueeze", "squeeze", "permute", "transpose", "detach", "to_numpy", "tolist",
                                   "flatten",   "sum",     "mean",    "type"});
    const auto *name = as<Name>(call.func);
    const auto *method = as<Attribute>(call.func);
    const Symbol called = name != nullptr ? name->id : method != nullptr ? method->attr : Symbol{};
    if (called && kHard.has(called)) {
      found(&call);
    } else if (method != nullptr && (called.text() == "cuda" || called.text() == "to")) {
      moves = true;
    } else if (method == nullptr || !kLight.has(called)) {
      is_unknown = true;
    }
  }

  // `self.h5[key]` may read a file.
  void see_subscript(const Subscript &subscript) {
    const auto *attribute = as<Attribute>(subscript.value);
    if (attribute == nullptr) {
      return;
    }
    const Value held = model::value_of(model::scope_of(project_, *function_), attribute);
    const bool is_in_memory = held.is(Value::Tag::Tuple) || held.is_kind(Kind::List) || held.is_kind(Kind::Dict) ||
                              held.is_kind(Kind::TorchTensor) || held.is_kind(Kind::NumpyArray);
    const bool is_mapped = held.is_kind(Kind::NumpyArray) && held.name() &&
                           (held.name().text() == "numpy.load" || held.name().text() == "numpy.memmap");
    moves |= held.on_gpu();
    is_unknown |= !is_in_memory || is_mapped || held.open;
  }

  const model::Project &project_;
  const FunctionInfo *function_ = nullptr;
  u32 depth_ = 0;
  std::vector<const FunctionInfo *> seen_;
};

Preparation prepared_by(const Site &site, const FunctionInfo *function) {
  Work work(site.project);
  work.look_at(function);
  Preparation result;
  if (work.moves) {
    result.cost = SampleCost::Nothing;
  } else if (work.hard != nullptr) {
    result = {SampleCost::Much, false, work.hard, work.where};
  } else if (!work.is_unknown) {
    result.cost = SampleCost::Nothing;
  }
  return result;
}

Preparation preparation(const Site &site, const Expr *dataset, u32 depth);

Preparation preparation(const Site &site, const Value &value, u32 depth) {
  Preparation result;
  if (value.is(Value::Tag::Tuple) || value.is_kind(Kind::List) || value.is_kind(Kind::TorchTensor) ||
      value.is_kind(Kind::NumpyArray)) {
    result.cost = SampleCost::Nothing;
    return result;
  }
  if (value.is(Value::Tag::Object)) {
    if (const FunctionInfo *item = model::find_method_of(*value.type, get_item())) {
      return prepared_by(site, item);
    }
    if (const FunctionInfo *iteration = model::find_method_of(*value.type, iterate())) {
      result = prepared_by(site, iteration);
      result.iterable = true;
    }
    return result;
  }
  if (value.is_kind(Kind::HfDataset) && value.maker() != nullptr && called_method(*value.maker()) == "with_transform") {
    const Expr *const transform = argument(*value.maker(), 0, "transform");
    const FunctionInfo *const function =
        transform != nullptr ? callable_of(scope_of(site_of(site, *value.maker())), transform) : nullptr;
    // Reading a row decodes it before the function sees it.
    const Preparation prepared = function != nullptr ? prepared_by(site, function) : result;
    return prepared.cost == SampleCost::Nothing ? result : prepared;
  }
  if (!value.is_kind(Kind::TorchDataset) || value.maker() == nullptr || !value.name()) {
    return result;
  }
  const std::string_view name = value.name().text();
  if (name == "torch.utils.data.TensorDataset") {
    result.cost = SampleCost::Nothing;
  } else if (name.starts_with("torchvision.datasets.")) {
    result.cost = SampleCost::Much;
  } else if (name == "torch.utils.data.Subset" || name == "torch.utils.data.random_split") {
    return preparation(site_of(site, *value.maker()), argument(*value.maker(), 0, "dataset"), depth + 1);
  } else if (name == "torch.utils.data.ConcatDataset") {
    // The dearest of its parts is part of every epoch.
    const auto *parts = as<List>(argument(*value.maker(), 0, "datasets"));
    for (u32 i = 0; parts != nullptr && i < parts->elts.size(); ++i) {
      const Preparation part = preparation(site_of(site, *value.maker()), parts->elts[i], depth + 1);
      result = i == 0 || part.cost > result.cost ? part : result;
    }
  }
  return result;
}

Preparation preparation(const Site &site, const Expr *dataset, u32 depth) {
  constexpr u32 kMostDepth = 4;
  Preparation result;
  if (dataset == nullptr || depth > kMostDepth) {
    return result;
  }
  if (dataset->kind == NodeKind::List || dataset->kind == NodeKind::ListComp || dataset->kind == NodeKind::Tuple) {
    result.cost = SampleCost::Nothing;
    return result;
  }
  if (const auto *subscript = as<Subscript>(dataset)) {
    result = preparation(site, subscript->value, depth + 1);
    // One split of a dictionary of Hugging Face datasets is what the whole is.
    const Value splits = value_of(site, subscript->value);
    if (splits.is_kind(Kind::HfDataset) && result.cost == SampleCost::Much) {
      return result;
    }
    result.cost = result.cost == SampleCost::Much ? SampleCost::Unknown : result.cost;
    return result;
  }
  // One of several datasets: the dearest counts, and where one of them costs nothing the loader is made for both.
  const Value value = value_of(site, dataset);
  bool is_first = true;
  for_each_alternative(value, [&](const Value &one) {
    const Preparation other = preparation(site, one, depth);
    if (is_first || other.cost > result.cost) {
      result = other;
    }
    is_first = false;
  });
  if (value.open && result.cost == SampleCost::Nothing) {
    result.cost = SampleCost::Unknown;
  }
  return result;
}

} // namespace

Preparation preparation_of(const Site &site, const Call &loader) {
  constexpr u32 kCollate = 6;
  return preparation_of(site, argument_of(site, loader, 0, "dataset"),
                        argument_of(site, loader, kCollate, "collate_fn"));
}

Preparation preparation_of(const Site &site, const model::Argument &dataset, const model::Argument &collate) {
  Preparation result;
  for (const model::Argument::Given &given : dataset.given) {
    Site there{.project = site.project, .findings = site.findings, .memory = site.memory, .rule = site.rule};
    there.module = given.scope.module;
    there.function = given.scope.function;
    result = preparation(there, given.expr, 0);
    const bool is_display = given.expr->kind == NodeKind::List || given.expr->kind == NodeKind::ListComp ||
                            given.expr->kind == NodeKind::Tuple || given.expr->kind == NodeKind::Subscript;
    result.iterable |= !is_display && value_of(there, given.expr).is_unknown();
  }
  for (const model::Argument::Given &given : collate.given) {
    const Value value = model::value_of(given.scope, given.expr);
    const FunctionInfo *function =
        given.expr->kind == NodeKind::Lambda                             ? site.project.function_at(given.expr)
        : value.is(Value::Tag::Function) || value.is(Value::Tag::Method) ? value.function.get()
        : value.is(Value::Tag::Object) ? model::find_method_of(*value.type, intern("__call__"))
                                       : nullptr;
    const Preparation collated = function != nullptr ? prepared_by(site, function) : Preparation{};
    if (collated.cost == SampleCost::Much && result.cost != SampleCost::Much) {
      const bool iterable = result.iterable;
      result = collated;
      result.iterable = iterable;
    }
  }
  return result;
}

bool is_map_style(const Value &dataset) {
  bool is_proved = dataset.known() || dataset.alternatives != nullptr;
  for_each_alternative(dataset, [&](const Value &one) {
    if (one.is(Value::Tag::Object)) {
      is_proved &=
          model::find_member(*one.type, get_item()) != nullptr && model::find_member(*one.type, iterate()) == nullptr;
      for (const model::ClassInfo *type : one.type->mro) {
        is_proved &= std::ranges::none_of(type->bases, [](const Value &base) {
          return base.is(Value::Tag::Api) && base.name().text().find("Iterable") != std::string_view::npos;
        });
      }
    } else {
      const std::string_view name = one.is_kind(Kind::TorchDataset) && one.name() ? one.name().text() : "";
      is_proved &= name.starts_with("torchvision.datasets.") || name == "torch.utils.data.TensorDataset" ||
                   name == "torch.utils.data.Subset" || name == "torch.utils.data.random_split";
    }
  });
  return is_proved && !dataset.open;
}

Preparation preparation_by(const Site &site, const FunctionInfo &function) { return prepared_by(site, &function); }

Decoding decoding_in(const model::Project &project, const FunctionInfo &function) {
  if (function.node == nullptr) {
    return {};
  }
  std::vector<const FunctionInfo *> places = reached_functions(function, *function.node);
  places.insert(places.begin(), &function);
  for (const FunctionInfo *place : places) {
    const Call *found = nullptr;
    for_each_child(place->node, [&](const Node *child) {
      any_node(child, [&](const Node *node) {
        const auto *call = as<Call>(node);
        const Value callee = call != nullptr ? project.callee_of(call) : Value{};
        const std::string_view name = callee.is(Value::Tag::Api) ? callee.name().text() : std::string_view{};
        const ApiInfo *info = name.empty() ? nullptr : find_api(callee.name());
        const bool is_tensorflow = name.starts_with("tensorflow.") && !name.ends_with(".load_img");
        const bool decodes =
            (info != nullptr && info->has(kDecode)) || name == "PIL.Image.open" || name.ends_with(".load_img");
        found = found == nullptr && decodes && !is_tensorflow ? call : found;
        return found != nullptr;
      });
    });
    if (found != nullptr) {
      return {found, place};
    }
  }
  return {};
}

} // namespace deepperf::rules
