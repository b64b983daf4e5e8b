#include "frameworks/frameworks.h"

#include "base/preset_names.h"
#include "frameworks/preset_apis.h"
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

namespace {

// What the user has told us about, which wins over the tables.
std::unordered_map<u32, ApiInfo> &user_apis() {
  static std::unordered_map<u32, ApiInfo> all;
  return all;
}

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
    {"torch_geometric.data.DataLoader", "torch.utils.data.DataLoader"},
    {"torch_geometric.loader.DataLoader", "torch.utils.data.DataLoader"},
    {"torch_geometric.nn.conv", "torch_geometric.nn"},
    {"torch_geometric.data.in_memory_dataset", "torch_geometric.data"},
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

const ApiInfo *find_api(Symbol qualified_name) {
  if (const auto &users = user_apis(); !users.empty()) {
    if (const auto found = users.find(qualified_name.id); found != users.end()) {
      return &found->second;
    }
  }
  const u16 place = qualified_name.id < kPresetNames.count ? kPresetApis.api_of_name[qualified_name.id] : u16{0};
  return place != 0 ? &kPresetApis.infos[place - 1] : nullptr;
}

const ApiInfo *find_method(Kind kind, Symbol method) {
  if (method.id >= kPresetNames.count) {
    return nullptr; // no table has the name
  }
  for (; kind != Kind::Unknown; kind = parent_of(kind)) {
    const u32 key = PresetApis::method_key(kind, method);
    for (u32 slot = PresetApis::first_slot(key);; ++slot) {
      const PresetApis::Method &entry = kPresetApis.methods[slot & kPresetApis.method_mask];
      if (entry.key == key) {
        return &kPresetApis.infos[entry.place - 1];
      }
      if (entry.key == 0) {
        break;
      }
    }
  }
  return nullptr;
}

void add_user_apis(std::span<const UserApi> apis) {
  for (const UserApi &api : apis) {
    // Nobody has told us whether it gives the same each time.
    const bool is_source =
        api.returns == Kind::Dataset || api.returns == Kind::HfDataset || api.returns == Kind::TorchDataLoader;
    user_apis()[canonical_name(api.name).id] = {.returns = api.returns, .traits = is_source ? kSource | kIo : u64{kIo}};
  }
}

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
  std::vector<std::string> errors;
  for (u32 id = 1; id < kPresetNames.count; ++id) {
    const Symbol name{id};
    if (kPresetApis.api_of_name[id] == 0) {
      continue;
    }
    if (const Symbol canonical = canonical_name(name.text()); canonical != name) {
      errors.push_back(std::string(name.text()) + ": never found, because its canonical name is " +
                       std::string(canonical.text()));
    }
  }
  return errors;
}

std::size_t table_size() { return kPresetApis.size; }

} // namespace deepperf
