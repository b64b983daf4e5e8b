#include "frameworks/frameworks.h"

#include "base/embedded_text.h"
#include "frameworks/shape_column.h"
#include "frameworks/user_apis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

namespace deepperf {

std::span<const EmbeddedText> framework_texts(); // src/frameworks/*.txt

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Kind::kCount)> kKindNames = {
    "-",
    "Dataset",
    "Iterator",
    "Tensor",
    "Variable",
    "Session",
    "Graph",
    "Saver",
    "Optimizer",
    "KerasModel",
    "KerasLayer",
    "KerasOptimizer",
    "KerasLoss",
    "KerasMetric",
    "GradientTape",
    "Function",
    "Initializer",
    "SummaryWriter",
    "Operation",
    "TensorArray",
    "HashTable",
    "TfRecordWriter",
    "DistributeStrategy",
    "Estimator",
    "TfdsBuilder",
    "TorchTensor",
    "TorchModule",
    "TorchDataset",
    "TorchDataLoader",
    "TorchOptimizer",
    "TorchScheduler",
    "TorchLoss",
    "TorchDevice",
    "NumpyArray",
    "JaxArray",
    "PandasFrame",
    "HfDataset",
    "HfTokenizer",
    "HfModel",
    "HfPipeline",
    "HfProcessor",
    "HfOutput",
    "HfEncoder",
    "Trainer",
    "Accelerator",
    "TorchMetric",
    "Path",
    "RandomState",
    "list",
    "dict",
    "set",
    "tuple",
    "str",
    "deque",
    "file",
    "NoGrad",
    "Autocast",
    "GradScaler",
    "Number",
    "ArgumentParser",
    "ArgumentNamespace",
};
static_assert(kKindNames.back() == "ArgumentNamespace", "a name for each kind");

// In the order of the bits.
constexpr std::string_view kTraitNames[] = {
    "op",          "spec",        "random",      "constant",
    "variable",    "graph_state", "batchable",   "shape_dependent",
    "per_example", "io",          "decode",      "python",
    "cheap",       "stage",       "maps",        "interleaves",
    "flat_maps",   "batches",     "shuffles",    "repeats",
    "prefetches",  "caches",      "filters",     "zips",
    "unbatches",   "windows",     "applies",     "takes",
    "enumerates",  "source",      "batched",     "container_of",
    "session",     "session_run", "graph_scope", "eager",
    "v1_switch",   "traces",      "tape",        "no_loop",
    "mutates",     "syncs",       "v1",          "v2",
    "step",        "property",    "moves",       "no_grads",
    "compiles",    "loss",        "weights",     "copies",
    "text",        "passes_on",
};
static_assert(u64{1} << (std::size(kTraitNames) - 1) == kPassesOn, "a name for each trait");

// In the order of the enum.
constexpr std::string_view kOutputNames[] = {
    "-", "scores", "relu", "tanh", "sigmoid", "softmax", "log_softmax", "same", "first_argument", "last_argument",
};
static_assert(std::size(kOutputNames) == static_cast<std::size_t>(Output::kCount), "a name for each output");

Output output_named(std::string_view name) {
  const auto *const found = std::find(std::begin(kOutputNames) + 1, std::end(kOutputNames), name);
  return found == std::end(kOutputNames) ? Output::Unknown : static_cast<Output>(found - std::begin(kOutputNames));
}

// Entries by kind (Unknown: an API) and name, by open addressing.
class Tables {
public:
  Tables() : entries_(16384) {
    for (const EmbeddedText &text : framework_texts()) {
      u32 line_number = 0;
      for (std::string_view chunk : text.chunks) {
        while (!chunk.empty()) {
          const std::size_t end = std::min(chunk.find('\n'), chunk.size());
          ++line_number;
          if (std::string error = read(chunk.substr(0, end)); !error.empty()) {
            errors_.push_back(std::string(text.file) + ":" + std::to_string(line_number) + ": " + error);
          }
          chunk.remove_prefix(std::min(end + 1, chunk.size()));
        }
      }
    }
  }

  [[nodiscard]] const ApiInfo *find(Kind kind, Symbol name) const {
    const Entry &entry = entries_[slot_of(key_of(kind, name))];
    return entry.key == 0 ? nullptr : &entry.info;
  }

  [[nodiscard]] std::string_view shape(Kind kind, Symbol name) const {
    const auto found = shapes_.find(key_of(kind, name));
    return found != shapes_.end() ? found->second : std::string_view{};
  }

  void put_api(Symbol name, ApiInfo info) {
    const u64 key = key_of(Kind::Unknown, name);
    if (!add(key, info)) {
      entries_[slot_of(key)].info = info;
    }
  }

  [[nodiscard]] const std::vector<std::string> &errors() const { return errors_; }
  [[nodiscard]] std::size_t size() const { return used_; }

  template <typename Visit> void for_each_api(Visit visit) const {
    for (const Entry &entry : entries_) {
      if (entry.key != 0 && entry.key >> 32 == 0) {
        visit(Symbol{static_cast<u32>(entry.key)});
      }
    }
  }

private:
  struct Entry {
    u64 key = 0; // 0: free; no name has the symbol 0
    ApiInfo info;
  };

  static u64 key_of(Kind kind, Symbol name) { return name.id == 0 ? 0 : u64{static_cast<u8>(kind)} << 32 | name.id; }

  // Where the key is, or the free slot where it would go.
  [[nodiscard]] std::size_t slot_of(u64 key) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = (key * name_hash::kMultiplier >> 32) & mask;
    while (entries_[slot].key != key && entries_[slot].key != 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  bool add(u64 key, ApiInfo info) {
    if (used_ * 2 >= entries_.size()) {
      std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries_.size() * 2));
      for (const Entry &entry : old) {
        if (entry.key != 0) {
          entries_[slot_of(entry.key)] = entry;
        }
      }
    }
    Entry &entry = entries_[slot_of(key)];
    if (entry.key == key) {
      return false;
    }
    entry = {key, info};
    ++used_;
    return true;
  }

  static std::string_view next_word(std::string_view &line) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t start = 0;
    while (start < line.size() && blank(line[start])) {
      ++start;
    }
    std::size_t end = start;
    while (end < line.size() && !blank(line[end])) {
      ++end;
    }
    const std::string_view word = line.substr(start, end - start);
    line.remove_prefix(end);
    return word;
  }

  // Adds what the line says; returns what is wrong with it.
  std::string read(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const std::size_t bar = line.find('|');
    const std::string_view shape = bar != std::string_view::npos ? line.substr(bar + 1) : std::string_view{};
    line = line.substr(0, bar);
    std::string_view name = next_word(line);
    if (name.empty()) {
      return {};
    }
    const auto wrong = [whole = name](std::string_view what, std::string_view word = {}) {
      return std::string(whole) + ": " + std::string(what) + std::string(word);
    };
    const std::string_view returns = next_word(line);
    if (returns.empty()) {
      return wrong("says not what it returns");
    }
    ApiInfo info;
    info.returns = kind_named(returns);
    if (info.returns == Kind::Unknown && returns != "-") {
      return wrong("no such kind: ", returns);
    }
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const u64 trait = trait_named(word);
      if (const Output output = output_named(word); output != Output::Unknown) {
        if (info.output != Output::Unknown) {
          return wrong("gives two things, and one is ", word);
        }
        info.output = output;
        continue;
      }
      if (trait == 0) {
        return wrong("no such trait: ", word);
      }
      if (info.has(trait)) {
        return wrong("twice the trait ", word);
      }
      info.traits |= trait;
    }
    Kind kind = Kind::Unknown;
    if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) {
      kind = kind_named(name.substr(0, dot));
      if (kind != Kind::Unknown) {
        name.remove_prefix(dot + 1);
      }
    }
    const auto allowed = [](char c) {
      return c == '.' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    if (!std::ranges::all_of(name, allowed) || name.empty() || name.back() == '.' || name.front() == '.') {
      return wrong("not a name");
    }
    const u64 key = key_of(kind, intern(name));
    if (!add(key, info)) {
      return wrong("listed twice");
    }
    if (!shape.empty()) {
      shapes_.emplace(key, shape);
    }
    return {};
  }

  std::vector<Entry> entries_; // a power of two of them, at most half used
  std::unordered_map<u64, std::string_view> shapes_;
  std::size_t used_ = 0;
  std::vector<std::string> errors_;
};

Tables &changeable_tables() {
  static Tables all;
  return all;
}

const Tables &tables() { return changeable_tables(); }

bool starts_with_module(std::string_view dotted, std::string_view module) {
  return dotted.starts_with(module) && (dotted.size() == module.size() || dotted[module.size()] == '.');
}

// The longer of two that begin alike must come first.
struct Alias {
  std::string_view from;
  std::string_view to;
};
constexpr Alias kTensorflowAliases[] = {
    {"tensorflow_core", "tensorflow"},
    {"tensorflow.compat.v1", "tensorflow"},
    {"tensorflow.compat.v2", "tensorflow"},
    {"tensorflow._api.v1", "tensorflow"},
    {"tensorflow._api.v2", "tensorflow"},
    {"tensorflow.keras._tf_keras.keras", "tensorflow.keras"},
    {"tensorflow.keras.api._v1.keras", "tensorflow.keras"},
    {"tensorflow.keras.api._v2.keras", "tensorflow.keras"},
    {"tensorflow.keras.api", "tensorflow.keras"},
    {"tensorflow.keras.src", "tensorflow.keras"},
    {"tensorflow.keras.optimizers.legacy", "tensorflow.keras.optimizers"},
    {"tensorflow.keras.optimizers.experimental", "tensorflow.keras.optimizers"},
    {"tensorflow.keras.layers.experimental.preprocessing", "tensorflow.keras.layers"},
    {"tensorflow.keras.engine.training", "tensorflow.keras.models"},
    {"tensorflow.keras.utils.np_utils", "tensorflow.keras.utils"},
    {"tensorflow.keras.utils.dataset_utils", "tensorflow.keras.utils"},
    {"tensorflow.contrib.keras", "tensorflow.keras"},
    {"tensorflow.contrib.slim.python.slim", "tensorflow.contrib.slim"},
    {"tensorflow.python.keras", "tensorflow.keras"},
    {"tensorflow.python.eager.def_function", "tensorflow"},
    {"tensorflow.python.framework.constant_op", "tensorflow"},
    {"tensorflow.python.framework.dtypes", "tensorflow"},
    {"tensorflow.python.framework.ops", "tensorflow"},
    {"tensorflow.python.client.session", "tensorflow"},
    {"tensorflow.python.training.saver", "tensorflow.train"},
    {"tensorflow.python.data.ops.dataset_ops", "tensorflow.data"},
    {"tensorflow.python.ops.array_ops", "tensorflow"},
    {"tensorflow.python.ops.check_ops", "tensorflow"},
    {"tensorflow.python.ops.clip_ops", "tensorflow"},
    {"tensorflow.python.ops.control_flow_ops", "tensorflow"},
    {"tensorflow.python.ops.image_ops", "tensorflow.image"},
    {"tensorflow.python.ops.init_ops", "tensorflow"},
    {"tensorflow.python.ops.linalg_ops", "tensorflow.linalg"},
    {"tensorflow.python.ops.math_ops", "tensorflow"},
    {"tensorflow.python.ops.nn_ops", "tensorflow.nn"},
    {"tensorflow.python.ops.nn", "tensorflow.nn"},
    {"tensorflow.python.ops.random_ops", "tensorflow"},
    {"tensorflow.python.ops.script_ops", "tensorflow"},
    {"tensorflow.python.ops.sparse_ops", "tensorflow"},
    {"tensorflow.python.ops.state_ops", "tensorflow"},
    {"tensorflow.python.ops.string_ops", "tensorflow.strings"},
    {"tensorflow.python.ops.variable_scope", "tensorflow"},
    {"tensorflow.python.ops.variables", "tensorflow"},
    {"tensorflow.v1", "tensorflow"},
};
constexpr Alias kOtherAliases[] = {
    {"builtins", ""},
    {"keras", "tensorflow.keras"},
    {"keras_core", "tensorflow.keras"},
    {"tf_keras", "tensorflow.keras"},
    {"tfds", "tensorflow_datasets"},
    {"tf_slim", "tensorflow.contrib.slim"},
    {"numpy.core.multiarray", "numpy"},
    {"torch._C._nn", "torch.nn.functional"},
    {"torch.autograd.variable", "torch.autograd"},
    {"torch.nn.modules.loss", "torch.nn"},
    {"torch.nn.utils.clip_grad", "torch.nn.utils"},
    {"torch.utils.data.dataloader", "torch.utils.data"},
    {"torch.utils.data.dataset", "torch.utils.data"},
    {"torch.utils.data.sampler", "torch.utils.data"},
    {"torch.utils.data.distributed", "torch.utils.data"},
    {"jax._src.numpy", "jax.numpy"},
    {"lightning.pytorch", "pytorch_lightning"},
    {"lightning.fabric", "lightning_fabric"},
    {"lightning.Fabric", "lightning_fabric.Fabric"},
    {"lightning", "pytorch_lightning"},
    {"datasets.arrow_dataset", "datasets"},
    {"datasets.dataset_dict", "datasets"},
};

// Where a library defines its classes is not where it publishes them: `keras.layers.core.Dense` is
// `keras.layers.Dense`. True for the packages here whenever a module is followed by a class.
constexpr std::string_view kFlatPackages[] = {
    "tensorflow.keras.layers",
    "tensorflow.keras.optimizers",
    "tensorflow.keras.models",
    "tensorflow.keras.callbacks",
    "torch.nn.modules",
    "torch.optim",
    "transformers",
    "diffusers",
    "peft",
    "trl",
    "torchmetrics",
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

std::string_view without_prefix(std::string_view text, std::size_t size) {
  text.remove_prefix(size);
  return text;
}

// Rewrites `name` by the first alias that applies; false when none does.
bool rewrite(std::string &name, std::span<const Alias> aliases) {
  for (const Alias &alias : aliases) {
    if (starts_with_module(name, alias.from)) {
      const std::size_t cut = alias.from.size() + (alias.to.empty() && name.size() > alias.from.size() ? 1 : 0);
      name = std::string(alias.to) + std::string(without_prefix(name, cut));
      return true;
    }
  }
  return false;
}

void flatten(std::string &name) {
  for (const std::string_view package : kFlatPackages) {
    if (!starts_with_module(name, package) || name.size() == package.size()) {
      continue;
    }
    const std::size_t first = package.size() + 1;
    std::size_t part = first;
    while (part < name.size() && !is_upper(name[part])) {
      const std::size_t dot = std::min(name.find('.', part), name.size());
      const std::string_view module = std::string_view(name).substr(part, dot - part);
      if (module == "lr_scheduler" || module == "schedules" || module == "swa_utils") {
        return; // published there
      }
      part = dot + 1;
    }
    if (part < name.size()) {
      name.erase(first, part - first);
    }
    return;
  }
}

} // namespace

std::string_view shape_column(Kind kind, Symbol name) {
  for (Kind at = kind;; at = parent_of(at)) {
    if (const std::string_view shape = tables().shape(at, name); !shape.empty()) {
      return shape;
    }
    if (at == Kind::Unknown || parent_of(at) == Kind::Unknown) {
      return {};
    }
  }
}

const ApiInfo *find_api(Symbol qualified_name) { return tables().find(Kind::Unknown, qualified_name); }

const ApiInfo *find_method(Kind kind, Symbol method) {
  for (; kind != Kind::Unknown; kind = parent_of(kind)) {
    if (const ApiInfo *info = tables().find(kind, method)) {
      return info;
    }
  }
  return nullptr;
}

void add_user_apis(std::span<const UserApi> apis) {
  for (const UserApi &api : apis) {
    // Nobody has told us whether it gives the same each time.
    const bool is_source =
        api.returns == Kind::Dataset || api.returns == Kind::HfDataset || api.returns == Kind::TorchDataLoader;
    changeable_tables().put_api(canonical_name(api.name),
                                {.returns = api.returns, .traits = is_source ? kSource | kIo : u64{kIo}});
  }
}

Kind kind_named(std::string_view name) {
  const auto *const found = std::find(kKindNames.begin() + 1, kKindNames.end(), name);
  return found == kKindNames.end() ? Kind::Unknown : static_cast<Kind>(found - kKindNames.begin());
}

std::string_view name_of(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

Kind parent_of(Kind kind) {
  switch (kind) {
  case Kind::Variable:
    return Kind::Tensor;
  case Kind::KerasModel:
    return Kind::KerasLayer;
  case Kind::TorchLoss:
  case Kind::HfModel:
    return Kind::TorchModule;
  default:
    return Kind::Unknown;
  }
}

u64 trait_named(std::string_view name) {
  const auto *const found = std::find(std::begin(kTraitNames), std::end(kTraitNames), name);
  return found == std::end(kTraitNames) ? 0 : u64{1} << (found - std::begin(kTraitNames));
}

std::string names_of_traits(u64 traits) {
  std::string names;
  for (; traits != 0; traits &= traits - 1) {
    names += names.empty() ? "" : " ";
    names += kTraitNames[std::countr_zero(traits)];
  }
  return names;
}

namespace {

struct Canonical {
  Symbol name;
  bool through_v1 = false;
};

Canonical make_canonical(std::string_view dotted) {
  Canonical result;
  std::string name(dotted);
  rewrite(name, kOtherAliases);
  if (name.starts_with("tensorflow")) {
    do {
      result.through_v1 |=
          starts_with_module(name, "tensorflow.compat.v1") || starts_with_module(name, "tensorflow._api.v1");
    } while (rewrite(name, kTensorflowAliases));
  }
  flatten(name);
  if (starts_with_module(name, "torch.nn.modules")) {
    name.erase(std::string_view("torch.nn").size(), std::string_view(".modules").size());
  }
  result.name = intern(name);
  return result;
}

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

} // namespace

Symbol canonical_name(std::string_view dotted, bool *through_v1) {
  // Files import the same few modules over and over.
  constexpr std::size_t kMostKnown = 1 << 16;
  thread_local std::unordered_map<std::string, Canonical, TextHash, std::equal_to<>> known;
  auto found = known.find(dotted);
  if (found == known.end()) {
    if (known.size() >= kMostKnown) {
      known.clear();
    }
    found = known.emplace(dotted, make_canonical(dotted)).first;
  }
  if (through_v1 != nullptr) {
    *through_v1 = found->second.through_v1;
  }
  return found->second.name;
}

bool is_arithmetic(const ApiInfo &info, std::string_view name) {
  if (!info.has(kBatchable) || info.has(kCheap | kIo | kDecode | kPython | kRandom) || name.ends_with("top_k")) {
    return false;
  }
  constexpr std::string_view kFramework = "tensorflow.";
  return name.starts_with("tensorflow.math.") ||
         (name.starts_with(kFramework) && name.rfind('.') == kFramework.size() - 1 &&
          find_api(intern("tensorflow.math." + std::string(name.substr(kFramework.size())))) != nullptr);
}

std::vector<std::string> table_errors() {
  std::vector<std::string> errors = tables().errors();
  tables().for_each_api([&](Symbol name) {
    if (const Symbol canonical = canonical_name(name.text()); canonical != name) {
      errors.push_back(std::string(name.text()) + ": never found, because its canonical name is " +
                       std::string(canonical.text()));
    }
  });
  return errors;
}

std::size_t table_size() { return tables().size(); }

} // namespace deepperf
