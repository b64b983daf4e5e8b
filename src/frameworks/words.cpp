// The words of the tables for kinds, traits and outputs.
#include "frameworks/words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

namespace deepperf {

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
    "TorchDistribution",
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
    "NamedTuple",
    "LibraryObject",
};
static_assert(kKindNames.back() == "LibraryObject", "a name for each kind");

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

} // namespace

Output output_named(std::string_view name) {
  const auto *const found = std::find(std::begin(kOutputNames) + 1, std::end(kOutputNames), name);
  return found == std::end(kOutputNames) ? Output::Unknown : static_cast<Output>(found - std::begin(kOutputNames));
}

Kind kind_named(std::string_view name) {
  const auto *const found = std::find(kKindNames.begin() + 1, kKindNames.end(), name);
  return found == kKindNames.end() ? Kind::Unknown : static_cast<Kind>(found - kKindNames.begin());
}

std::string_view name_of(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

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

} // namespace deepperf
