#include "rules/api_history.h"

#include "model/definitions.h"
#include "model/lookup.h"

#include "base/name_table.h"
#include "python/children.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace deepperf::rules {

using namespace python;

namespace {

// Sources: the release notes of NumPy 1.20, 1.24 and 2.0, PyTorch 0.4 to 2.4, torchvision 0.12 to 0.17, torchtext 0.9
// and 0.12, TensorFlow 2.0 to 2.16, Keras 3, JAX 0.3 to 0.6, Flax 0.6, Transformers 4, Datasets 3, PEFT 0.10,
// Lightning's upgrade guides to 2.0, SciPy 1.2 to 1.14, scikit-learn 0.20 to 0.23, librosa 0.8 and 0.9, pandas 1.0.
constexpr auto kHistory = std::to_array<ApiHistory>({
    {"numpy.float", "numpy", "1.20", "1.24", "`float`", "float"},
    {"numpy.int", "numpy", "1.20", "1.24", "`int`", "int"},
    {"numpy.bool", "numpy", "1.20", "1.24", "`bool`", "bool", "2.0"},
    {"numpy.object", "numpy", "1.20", "1.24", "`object`", "object"},
    {"numpy.complex", "numpy", "1.20", "1.24", "`complex`", "complex"},
    {"numpy.str", "numpy", "1.20", "1.24", "`str`", "str"},
    {"numpy.float_", "numpy", "", "2.0", "`numpy.float64`", "numpy.float64"},
    {"numpy.complex_", "numpy", "", "2.0", "`numpy.complex128`", "numpy.complex128"},
    {"numpy.unicode_", "numpy", "", "2.0", "`numpy.str_`", "numpy.str_"},
    {"numpy.string_", "numpy", "", "2.0", "`numpy.bytes_`", "numpy.bytes_"},
    {"numpy.NaN", "numpy", "", "2.0", "`numpy.nan`", "numpy.nan"},
    {"numpy.NAN", "numpy", "", "2.0", "`numpy.nan`", "numpy.nan"},
    {"numpy.Inf", "numpy", "", "2.0", "`numpy.inf`", "numpy.inf"},
    {"numpy.Infinity", "numpy", "", "2.0", "`numpy.inf`", "numpy.inf"},
    {"numpy.infty", "numpy", "", "2.0", "`numpy.inf`", "numpy.inf"},
    {"numpy.PINF", "numpy", "", "2.0", "`numpy.inf`", "numpy.inf"},
    {"numpy.NINF", "numpy", "", "2.0", "`-numpy.inf`", ""},
    {"numpy.product", "numpy", "1.25", "2.0", "`numpy.prod`", "numpy.prod"},
    {"numpy.cumproduct", "numpy", "1.25", "2.0", "`numpy.cumprod`", "numpy.cumprod"},
    {"numpy.sometrue", "numpy", "1.25", "2.0", "`numpy.any`", "numpy.any"},
    {"numpy.alltrue", "numpy", "1.25", "2.0", "`numpy.all`", "numpy.all"},
    {"numpy.round_", "numpy", "1.25", "2.0", "`numpy.round`", "numpy.round"},
    {"numpy.asfarray", "numpy", "", "2.0", "`numpy.asarray(…, dtype=float)`", ""},
    {"numpy.find_common_type", "numpy", "1.25", "2.0", "`numpy.promote_types` or `numpy.result_type`", ""},
    {"numpy.trapz", "numpy", "2.0", "", "`numpy.trapezoid`", "numpy.trapezoid"},
    {"numpy.in1d", "numpy", "2.0", "", "`numpy.isin`", "numpy.isin"},
    {"numpy.row_stack", "numpy", "2.0", "", "`numpy.vstack`", "numpy.vstack"},

    {"numpy.cast", "numpy", "", "2.0", "`numpy.asarray(…, dtype=…)`", ""},
    {"numpy.msort", "numpy", "1.24", "2.0", "`numpy.sort(…, axis=0)`", ""},
    {"numpy.mat", "numpy", "", "2.0", "`numpy.asmatrix`, or preferably a plain array", ""},

    {"scipy.misc.imread", "scipy", "1.0", "1.2", "`imageio.v2.imread`", ""},
    {"scipy.misc.imsave", "scipy", "1.0", "1.2", "`imageio.imwrite`", ""},
    {"scipy.misc.imshow", "scipy", "1.0", "1.2", "`matplotlib.pyplot.imshow`", ""},
    {"scipy.misc.imresize", "scipy", "1.0", "1.3", "`PIL.Image.fromarray(…).resize(…)`", ""},
    {"scipy.misc.imrotate", "scipy", "1.0", "1.2", "`PIL.Image.fromarray(…).rotate(…)`", ""},
    {"scipy.misc.toimage", "scipy", "1.0", "1.2", "`PIL.Image.fromarray`", ""},
    {"scipy.misc.fromimage", "scipy", "1.0", "1.2", "`numpy.asarray(image)`", ""},
    {"scipy.misc.bytescale", "scipy", "1.0", "1.2", "`skimage.util.img_as_ubyte`", ""},
    {"scipy.misc.logsumexp", "scipy", "1.0", "1.3", "`scipy.special.logsumexp`", ""},
    {"scipy.misc.comb", "scipy", "1.0", "1.3", "`scipy.special.comb`", ""},
    {"scipy.misc.factorial", "scipy", "1.0", "1.3", "`scipy.special.factorial`", ""},
    {"scipy.misc.face", "scipy", "1.10", "1.12", "`scipy.datasets.face`", ""},
    {"scipy.misc.ascent", "scipy", "1.10", "1.12", "`scipy.datasets.ascent`", ""},
    {"scipy.misc.derivative", "scipy", "1.10", "1.12", "your own finite difference", ""},
    {"scipy.integrate.trapz", "scipy", "1.12", "1.14", "`scipy.integrate.trapezoid`", ""},
    {"scipy.integrate.simps", "scipy", "1.12", "1.14", "`scipy.integrate.simpson`", ""},
    {"scipy.integrate.cumtrapz", "scipy", "1.12", "1.14", "`scipy.integrate.cumulative_trapezoid`", ""},

    {"sklearn.cross_validation", "scikit-learn", "0.18", "0.20", "`sklearn.model_selection`", "", "", true},
    {"sklearn.externals.joblib", "scikit-learn", "0.21", "0.23", "`joblib`", "", "", true},
    {"sklearn.utils.linear_assignment_", "scikit-learn", "0.21", "0.23", "`scipy.optimize.linear_sum_assignment`", "",
     "", true},
    {"sklearn.preprocessing.Imputer", "scikit-learn", "0.20", "0.22", "`sklearn.impute.SimpleImputer`", ""},

    {"pandas.Panel", "pandas", "0.20", "0.25", "a `DataFrame` with a `MultiIndex`", ""},

    {"librosa.output.write_wav", "librosa", "0.7", "0.8", "`soundfile.write`", ""},
    {"librosa.display.waveplot", "librosa", "0.8.1", "0.9", "`librosa.display.waveshow`", ""},

    {"torch.symeig", "torch", "1.9", "2.0", "`torch.linalg.eigh`", ""},
    {"torch.eig", "torch", "1.9", "1.13", "`torch.linalg.eig`", ""},
    {"torch.lstsq", "torch", "1.9", "1.13", "`torch.linalg.lstsq`", ""},
    {"torch.solve", "torch", "1.8", "1.13", "`torch.linalg.solve`", ""},
    {"torch.matrix_rank", "torch", "1.9", "1.13", "`torch.linalg.matrix_rank`", ""},
    {"torch.gels", "torch", "1.2", "1.3", "`torch.linalg.lstsq`", ""},
    {"torch.gesv", "torch", "1.1", "1.2", "`torch.linalg.solve`", ""},
    {"torch.trtrs", "torch", "1.1", "1.2", "`torch.linalg.solve_triangular`", ""},
    {"torch.btrifact", "torch", "1.0", "1.2", "`torch.linalg.lu_factor`", ""},
    {"torch.potrf", "torch", "1.0", "1.2", "`torch.linalg.cholesky`", ""},
    {"torch.rfft", "torch", "1.7", "1.8", "`torch.fft.rfft`", ""},
    {"torch.irfft", "torch", "1.7", "1.8", "`torch.fft.irfft`", ""},
    {"torch.ifft", "torch", "1.7", "1.8", "`torch.fft.ifft`", ""},
    {"torch.qr", "torch", "1.8", "", "`torch.linalg.qr`", ""},
    {"torch.cholesky", "torch", "1.8", "", "`torch.linalg.cholesky`", ""},
    {"torch.lu", "torch", "1.11", "", "`torch.linalg.lu_factor`", ""},
    {"torch.lu_solve", "torch", "1.11", "", "`torch.linalg.lu_solve`", ""},
    {"torch.triangular_solve", "torch", "1.11", "", "`torch.linalg.solve_triangular`", ""},
    {"torch.chain_matmul", "torch", "1.8", "", "`torch.linalg.multi_dot`", ""},
    {"torch.ger", "torch", "1.8", "", "`torch.outer`", "torch.outer"},
    {"torch.range", "torch", "0.3", "", "`torch.arange`, which excludes the end", ""},
    {"torch.set_default_tensor_type", "torch", "2.1", "", "`torch.set_default_dtype` and `torch.set_default_device`",
     ""},
    {"torch.autograd.Variable", "torch", "0.4", "", "the tensor itself", ""},
    {"torch.nn.functional.upsample", "torch", "0.4.1", "", "`torch.nn.functional.interpolate`",
     "torch.nn.functional.interpolate"},
    {"torch.nn.functional.upsample_bilinear", "torch", "0.4.1", "",
     "`interpolate(…, mode='bilinear', align_corners=True)`", ""},
    {"torch.nn.functional.upsample_nearest", "torch", "0.4.1", "", "`interpolate(…, mode='nearest')`", ""},
    {"torch.nn.utils.clip_grad_norm", "torch", "0.4", "", "`torch.nn.utils.clip_grad_norm_`",
     "torch.nn.utils.clip_grad_norm_"},
    {"torch.nn.init.xavier_uniform", "torch", "0.4", "", "`torch.nn.init.xavier_uniform_`",
     "torch.nn.init.xavier_uniform_"},
    {"torch.nn.init.xavier_normal", "torch", "0.4", "", "`torch.nn.init.xavier_normal_`",
     "torch.nn.init.xavier_normal_"},
    {"torch.nn.init.kaiming_uniform", "torch", "0.4", "", "`torch.nn.init.kaiming_uniform_`",
     "torch.nn.init.kaiming_uniform_"},
    {"torch.nn.init.kaiming_normal", "torch", "0.4", "", "`torch.nn.init.kaiming_normal_`",
     "torch.nn.init.kaiming_normal_"},
    {"torch.nn.init.orthogonal", "torch", "0.4", "", "`torch.nn.init.orthogonal_`", "torch.nn.init.orthogonal_"},
    {"torch.nn.init.normal", "torch", "0.4", "", "`torch.nn.init.normal_`", "torch.nn.init.normal_"},
    {"torch.nn.init.uniform", "torch", "0.4", "", "`torch.nn.init.uniform_`", "torch.nn.init.uniform_"},
    {"torch.nn.init.constant", "torch", "0.4", "", "`torch.nn.init.constant_`", "torch.nn.init.constant_"},
    {"torch.nn.utils.weight_norm", "torch", "2.1", "", "`torch.nn.utils.parametrizations.weight_norm`", ""},
    {"torch.cuda.amp.autocast", "torch", "2.4", "", "`torch.amp.autocast(\"cuda\")`", ""},
    {"torch.cuda.amp.GradScaler", "torch", "2.4", "", "`torch.amp.GradScaler(\"cuda\")`", ""},
    {"torch.cuda.amp.custom_fwd", "torch", "2.4", "", "`torch.amp.custom_fwd(device_type=\"cuda\")`", ""},
    {"torch.cuda.amp.custom_bwd", "torch", "2.4", "", "`torch.amp.custom_bwd(device_type=\"cuda\")`", ""},
    {"torch.cuda.memory_cached", "torch", "1.4", "", "`torch.cuda.memory_reserved`", "torch.cuda.memory_reserved"},
    {"torch.cuda.max_memory_cached", "torch", "1.4", "", "`torch.cuda.max_memory_reserved`",
     "torch.cuda.max_memory_reserved"},
    {"torch._six", "torch", "", "2.0", "the Python 3 types: `str`, `collections.abc.Iterable`, `math.inf`", "", "",
     true},
    {"torch.testing.assert_allclose", "torch", "1.12", "", "`torch.testing.assert_close`", ""},

    {"torchvision.transforms.Scale", "torchvision", "0.2", "0.12", "`torchvision.transforms.Resize`",
     "torchvision.transforms.Resize"},
    {"torchvision.transforms.RandomSizedCrop", "torchvision", "0.2", "0.12",
     "`torchvision.transforms.RandomResizedCrop`", "torchvision.transforms.RandomResizedCrop"},
    {"torchvision.transforms.v2.ToTensor", "torchvision", "0.16", "",
     "`Compose([ToImage(), ToDtype(torch.float32, scale=True)])`", ""},

    {"torchtext.data.Field", "torchtext", "0.8", "0.9", "a tokenizer and `torchtext.vocab.build_vocab_from_iterator`",
     ""},
    {"torchtext.data.LabelField", "torchtext", "0.8", "0.9", "`torchtext.vocab.build_vocab_from_iterator`", ""},
    {"torchtext.data.BucketIterator", "torchtext", "0.8", "0.9", "`torch.utils.data.DataLoader`", ""},
    {"torchtext.data.Iterator", "torchtext", "0.8", "0.9", "`torch.utils.data.DataLoader`", ""},
    {"torchtext.data.TabularDataset", "torchtext", "0.8", "0.9", "a `torch.utils.data.Dataset`", ""},
    {"torchtext.legacy", "torchtext", "0.9", "0.12", "`torch.utils.data` and `torchtext.vocab`", "", "", true},
    {"torchaudio.load_wav", "torchaudio", "0.8", "0.9", "`torchaudio.load`", ""},

    {"pytorch_lightning.metrics", "pytorch-lightning", "1.3", "1.5", "`torchmetrics`", "", "", true},
    {"pytorch_lightning.core.lightning", "pytorch-lightning", "1.7", "2.0", "`pytorch_lightning.core.module`", "", "",
     true},
    {"pytorch_lightning.profiler", "pytorch-lightning", "1.8", "2.0", "`pytorch_lightning.profilers`", "", "", true},
    {"pytorch_lightning.utilities.distributed", "pytorch-lightning", "1.8", "2.0",
     "`pytorch_lightning.utilities.rank_zero`", "", "", true},
    {"pytorch_lightning.utilities.cloud_io", "pytorch-lightning", "1.8", "2.0", "`torch.load`", "", "", true},

    {"jax.numpy.DeviceArray", "jax", "0.4.1", "0.4.10", "`jax.Array`", ""},
    {"jax.experimental.optimizers", "jax", "0.2.25", "0.3.16", "`jax.example_libraries.optimizers`, or `optax`", "", "",
     true},
    {"jax.experimental.stax", "jax", "0.2.25", "0.3.16", "`jax.example_libraries.stax`, or `flax`", "", "", true},
    {"flax.optim", "flax", "0.4", "0.6", "`optax`", "", "", true},
    {"jax.tree_map", "jax", "0.4.26", "0.6", "`jax.tree.map`", "jax.tree.map"},
    {"jax.tree_multimap", "jax", "0.3.5", "0.3.16", "`jax.tree.map`", "jax.tree.map"},
    {"jax.tree_util.tree_multimap", "jax", "0.3.5", "0.3.16", "`jax.tree.map`", ""},
    {"jax.tree_leaves", "jax", "0.3.15", "0.6", "`jax.tree.leaves`", "jax.tree.leaves"},
    {"jax.tree_flatten", "jax", "0.3.15", "0.6", "`jax.tree.flatten`", "jax.tree.flatten"},
    {"jax.tree_unflatten", "jax", "0.3.15", "0.6", "`jax.tree.unflatten`", "jax.tree.unflatten"},
    {"jax.tree_structure", "jax", "0.3.15", "0.6", "`jax.tree.structure`", "jax.tree.structure"},
    {"jax.config.config", "jax", "0.4.25", "0.4.29", "`jax.config`", "jax.config"},
    {"jax.linear_util", "jax", "0.4.16", "0.4.24", "`jax.extend.linear_util`", "", "", true},
    {"jax.abstract_arrays", "jax", "0.4.12", "0.4.17", "`jax.core`", "", "", true},
    {"jax.experimental.maps", "jax", "0.4.26", "", "`jax.sharding.Mesh` and `jax.shard_map`", "", "", true},
    {"jax.experimental.host_callback", "jax", "0.4.26", "0.7.1",
     "`jax.pure_callback` or `jax.experimental.io_callback`", "", "", true},
    {"jax.experimental.loops", "jax", "0.3.6", "0.3.16", "`jax.lax.fori_loop` or `jax.lax.scan`", "", "", true},
    {"jax.xla_computation", "jax", "0.4.30", "0.4.34", "`jax.jit(f).lower(…)`", ""},
    {"jax.clear_backends", "jax", "0.4.26", "0.4.36", "`jax.clear_caches`", ""},
    {"jax.random.KeyArray", "jax", "0.4.16", "0.4.24", "`jax.Array`", ""},
    {"jax.random.PRNGKeyArray", "jax", "0.4.16", "0.4.24", "`jax.Array`", ""},
    {"jax.random.shuffle", "jax", "0.1.66", "0.4.31", "`jax.random.permutation`", ""},
    {"jax.interpreters.xla.DeviceArray", "jax", "0.4.7", "0.4.11", "`jax.Array`", ""},
    {"jax.partial", "jax", "", "0.2.21", "`functools.partial`", ""},
    {"jax.soft_pmap", "jax", "", "0.3.18", "`jax.pmap` or `jax.jit` with shardings", ""},
    {"jax.nn.normalize", "jax", "0.3.5", "", "`jax.nn.standardize`", "jax.nn.standardize"},
    {"jax.ops.index_update", "jax", "0.2.22", "0.3.2", "`x.at[index].set(value)`", ""},
    {"jax.ops.index_add", "jax", "0.2.22", "0.3.2", "`x.at[index].add(value)`", ""},
    {"jax.ops.index_mul", "jax", "0.2.22", "0.3.2", "`x.at[index].multiply(value)`", ""},

    {"transformers.AutoModelWithLMHead", "transformers", "4.0", "",
     "`AutoModelForCausalLM`, `AutoModelForMaskedLM` or `AutoModelForSeq2SeqLM`", ""},
    {"transformers.AdamW", "transformers", "4.0", "4.50", "`torch.optim.AdamW`", ""},
    {"datasets.load_metric", "datasets", "2.5", "3.0", "`evaluate.load`", ""},
    {"peft.prepare_model_for_int8_training", "peft", "0.6", "0.10", "`peft.prepare_model_for_kbit_training`",
     "peft.prepare_model_for_kbit_training"},
});

const std::vector<const ApiHistory *> &all_history() {
  static const std::vector<const ApiHistory *> kAll = [] {
    std::vector<const ApiHistory *> all;
    for (const ApiHistory &history : kHistory) {
      all.push_back(&history);
    }
    for (const ApiHistory &history : tensorflow_history()) {
      all.push_back(&history);
    }
    return all;
  }();
  return kAll;
}

const NameTable &names() {
  static const NameTable kNames = [] {
    NameTable table;
    for (std::size_t i = 0; i < all_history().size(); ++i) {
      table.add(canonical_name(all_history()[i]->api).text(), i + 1);
    }
    return table;
  }();
  return kNames;
}

bool counts_as_written(const ApiHistory &history) { return history.api.starts_with("tensorflow."); }

// What the imports at the top of a file bind, with the names that are written there; empty where there are several.
struct WrittenImports {
  std::unordered_map<u32, std::string> module_of_name;

  void add(Symbol name, std::string module) {
    const auto [place, is_new] = module_of_name.try_emplace(name.id, std::move(module));
    if (!is_new) {
      place->second.clear();
    }
  }
};

WrittenImports imports_of(const model::Module &module) {
  WrittenImports imports;
  for (const Stmt *statement : module.parsed->tree.body) {
    if (const auto *import = as<Import>(statement)) {
      for (const Alias *alias : import->names) {
        const std::string_view whole = alias->name.text();
        const bool is_renamed = static_cast<bool>(alias->asname);
        const std::string_view bound = is_renamed ? whole : whole.substr(0, whole.find('.'));
        imports.add(is_renamed ? alias->asname : intern(bound), std::string(bound));
      }
    } else if (const auto *from = as<ImportFrom>(statement); from != nullptr && from->level == 0 && from->module) {
      for (const Alias *alias : from->names) {
        imports.add(alias->asname ? alias->asname : alias->name,
                    std::string(from->module.text()) + "." + std::string(alias->name.text()));
      }
    }
  }
  return imports;
}

// The name that an expression spells, through the file's imports: `tf.log` is `tensorflow.log`.
std::string written_name(const Site &site, const Node &node) {
  if (const auto *attribute = as<Attribute>(&node)) {
    const std::string before = written_name(site, *attribute->value);
    return before.empty() ? before : before + "." + std::string(attribute->attr.text());
  }
  const auto *name = as<Name>(&node);
  if (name == nullptr) {
    return {};
  }
  const auto &imports =
      site.memory.recall<WrittenImports>(site.module, [&site] { return imports_of(*site.module); }).module_of_name;
  const auto found = imports.find(name->id.id);
  return found != imports.end() ? found->second : std::string{};
}

bool mentions_version(const Node *node) {
  Symbol name;
  if (const auto *plain = as<Name>(node)) {
    name = plain->id;
  } else if (const auto *attribute = as<Attribute>(node)) {
    name = attribute->attr;
  }
  if (name) {
    const std::string_view text = name.text();
    if (text == "hasattr" || text.find("version") != std::string_view::npos ||
        text.find("VERSION") != std::string_view::npos || text.starts_with("is_torch_") || text.starts_with("TORCH_")) {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&found](const Node *child) { found = found || mentions_version(child); });
  return found;
}

} // namespace

const ApiHistory *find_history(Symbol api) {
  if (const u64 place = names()[api]; place != 0) {
    return all_history()[place - 1];
  }
  // What was in a module that is gone.
  static const std::vector<const ApiHistory *> kModules = [] {
    std::vector<const ApiHistory *> modules;
    for (const ApiHistory *history : all_history()) {
      if (history->is_module && !counts_as_written(*history)) {
        modules.push_back(history);
      }
    }
    return modules;
  }();
  const std::string_view text = api.text();
  const auto holds = std::ranges::find_if(kModules, [text](const ApiHistory *module) {
    return text.size() > module->api.size() && text[module->api.size()] == '.' && text.starts_with(module->api);
  });
  return holds != kModules.end() ? *holds : nullptr;
}

const ApiHistory *history_of(const Site &site, const Node &node) {
  const model::Value value =
      node.context == Context::Load ? value_of(site, static_cast<const Expr *>(&node)) : model::Value{};
  if (!value.is(model::Value::Tag::Api) || value.v1) {
    return nullptr;
  }
  const ApiHistory *const history = find_history(value.name());
  const bool is_meant = history == nullptr || !counts_as_written(*history) ||
                        (node.kind == NodeKind::Attribute && written_name(site, node) == history->api);
  return is_meant ? history : nullptr;
}

const ApiHistory *history_as_written(std::string_view module, std::string_view name) {
  const auto all = tensorflow_history();
  const auto is_it = [&](const ApiHistory &history) {
    const std::string_view api = history.api;
    return name.empty() ? history.is_module &&
                              (api == module || (module.starts_with(api) && module.substr(api.size()).starts_with('.')))
                        : api.size() == module.size() + 1 + name.size() && api.starts_with(module) &&
                              api[module.size()] == '.' && api.ends_with(name);
  };
  const auto found = std::ranges::find_if(all, is_it);
  return found != all.end() ? &*found : nullptr;
}

std::vector<std::string_view> historic_names() {
  std::vector<std::string_view> parts;
  for (const ApiHistory *history : all_history()) {
    parts.push_back(history->api.substr(history->api.rfind('.') + 1));
  }
  return parts;
}

namespace {

// `!pip install "transformers==4.37.2"`, also `%pip` and with `\` at line ends: what a notebook installs for itself.
std::string lines_that_install(std::string_view text) {
  std::string found;
  bool goes_on = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\n\0", 2)), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_command = line.starts_with('!') || line.starts_with('%');
    if (goes_on ||
        (is_command && line.find("pip") != std::string_view::npos && line.find(" install") != std::string_view::npos)) {
      goes_on = line.ends_with('\\');
      found.append(line).push_back('\n');
    }
  }
  return found;
}

struct Installed {
  project::Requirements packages;
};

// What holds for the file: what it installs itself, if it is a notebook, and else what the project requires.
const project::Requirements &requirements_for(const Site &site, std::string_view package) {
  const Source &source = site.module->parsed->source;
  if (source.is_notebook) {
    const auto find = [&source] {
      Installed found;
      project::add_requirements(lines_that_install(source.text()), found.packages);
      return found;
    };
    const project::Requirements &own = site.memory.recall<Installed>(site.module, find).packages;
    const auto known = own.find(package);
    if (known != own.end() && (known->second.at_least.has_value() || known->second.below.has_value())) {
      return own;
    }
  }
  return project::requirements_of(site.module->parsed->path);
}

} // namespace

Status status_in(const Site &site, std::string_view package, std::string_view since) {
  const std::optional<project::Version> wanted = project::parse_version(since);
  const project::Requirements &requirements = requirements_for(site, package);
  const auto range = requirements.find(package);
  if (package == "numpy" && wanted.has_value()) {
    // TensorFlow 1 needs a NumPy below 1.22, and before 2.16 one below 2.
    const auto tensorflow = requirements.find("tensorflow");
    const project::Version below = tensorflow != requirements.end() && tensorflow->second.below.has_value()
                                       ? *tensorflow->second.below
                                       : project::Version{99, 0, 0};
    if ((below <= project::Version{2, 0, 0} && *wanted >= project::Version{1, 22, 0}) ||
        (below <= project::Version{2, 16, 0} && *wanted >= project::Version{2, 0, 0})) {
      return Status::Fine;
    }
  }
  if (!wanted.has_value() || range == requirements.end() ||
      (!range->second.at_least.has_value() && !range->second.below.has_value())) {
    return Status::Unknown;
  }
  if (range->second.below.has_value() && *range->second.below <= *wanted) {
    return Status::Fine;
  }
  return range->second.at_least.has_value() && *range->second.at_least >= *wanted ? Status::Gone : Status::Unknown;
}

bool does_the_same(const Site &site, const ApiHistory &history) {
  if (history.api == "numpy.bool") {
    // NumPy 2 has the name again, for its own type, and isinstance() tells the two apart.
    return status_in(site, "numpy", history.back) == Status::Fine;
  }
  if (history.api == "numpy.in1d") {
    return false; // isin() keeps the shape, which in1d() flattened
  }
  if (history.renamed_to.starts_with("jax.tree.")) {
    return status_in(site, "jax", "0.4.25") == Status::Gone; // which brought jax.tree
  }
  return history.package != "peft"; // the new function casts other parameters than the old one
}

namespace {

// Names that a class or comprehension binds, with all that is inside.
const std::unordered_set<u32> &names_stored_in(const Site &site, const Node &around) {
  struct StoredNames {
    std::unordered_set<u32> all;
  };
  return site.memory
      .recall<StoredNames>(&around,
                           [&] {
                             StoredNames found;
                             any_node_inside(&around, [&found](const Node *node) {
                               const auto *plain = as<Name>(node);
                               const auto *definition = as<FunctionDef>(node);
                               if (plain != nullptr && plain->context != Context::Load) {
                                 found.all.insert(plain->id.id);
                               } else if (definition != nullptr) {
                                 found.all.insert(definition->name.id);
                               }
                               return false;
                             });
                             return found;
                           })
      .all;
}

bool has_star_import(const Site &site) {
  struct HasStarImport {
    bool value = false;
  };
  const auto opens_module = [](const Node *node) {
    const auto *import = as<ImportFrom>(node);
    return import != nullptr && import->names.size() == 1 && import->names[0]->name.text() == "*";
  };
  return site.memory
      .recall<HasStarImport>(
          site.module, [&] { return HasStarImport{std::ranges::any_of(site.module->parsed->tree.body, opens_module)}; })
      .value;
}

} // namespace

bool is_rebound(const Site &site, std::string_view builtin) {
  const Symbol name = intern(builtin);
  const auto is_bound_by = [name](const model::FunctionInfo *scope) {
    return scope != nullptr && std::ranges::binary_search(scope->names, name.id);
  };
  for (const model::FunctionInfo *scope = site.function; scope != nullptr; scope = scope->parent) {
    if (is_bound_by(scope)) {
      return true;
    }
  }
  if (is_bound_by(site.module->body)) {
    return true;
  }
  // Names of a class body and of comprehensions are nobody's slots.
  const bool is_stored_around = std::ranges::any_of(site.ancestors, [&](const Node *node) {
    const bool binds = node->kind == NodeKind::ClassDef || node->kind == NodeKind::ListComp ||
                       node->kind == NodeKind::SetComp || node->kind == NodeKind::DictComp ||
                       node->kind == NodeKind::GeneratorExp;
    return binds && names_stored_in(site, *node).contains(name.id);
  });
  return is_stored_around || has_star_import(site);
}

std::string required_version(const Site &site, std::string_view package, std::string_view since) {
  const project::Requirements &requirements = project::requirements_of(site.module->parsed->path);
  const auto range = requirements.find(package);
  if (status_in(site, package, since) != Status::Gone || range == requirements.end() || range->second.where.empty()) {
    return {};
  }
  const project::Version version = *range->second.at_least;
  return fmt::format(", and this project requires {}.{}{} or newer ({})", version.major, version.minor,
                     version.patch != 0 ? fmt::format(".{}", version.patch) : std::string{}, range->second.where);
}

bool concerns_upgrade(Status status, std::string_view package) {
  return status == Status::Fine && package != "tensorflow" && package != "keras" && package != "numpy";
}

void report_for_upgrade(Finding &finding, const Site &site, std::string_view package) {
  const project::Requirements &requirements = project::requirements_of(site.module->parsed->path);
  const auto range = requirements.find(package);
  finding.message += range != requirements.end() && !range->second.where.empty()
                         ? fmt::format("; this project requires an older version ({})", range->second.where)
                         : "; this project requires an older version";
  finding.tier = Tier::Hint;
  finding.severity = Severity::Note;
  finding.fix.reset();
}

// `OLD_LIGHTNING = int(pytorch_lightning.__version__[0]) < 2` at the top of the file
static bool is_version_flag(const Site &site, const Node *test) {
  return any_node(test, [&site](const Node *part) {
    const auto *name = as<Name>(part);
    return name != nullptr && std::ranges::any_of(site.module->parsed->tree.body, [name](const Stmt *statement) {
             const auto *assignment = as<Assign>(statement);
             const auto *target = assignment != nullptr ? as<Name>(assignment->targets[0]) : nullptr;
             return target != nullptr && target->id == name->id && mentions_version(assignment->value);
           });
  });
}

namespace {

// `np.float = np.float_` somewhere in the project: it puts the name back itself.
bool is_put_back(const Site &site, std::string_view api) {
  const std::size_t dot = api.rfind('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto known = stores.find(intern(api.substr(dot + 1)).id);
  return known != stores.end() && std::ranges::any_of(known->second, [&](const model::AttributeStore &store) {
           const model::Value owner = model::value_of(model::scope_of(site.project, *store.function), store.object);
           return owner.is(model::Value::Tag::Api) && owner.name().text() == api.substr(0, dot);
         });
}

} // namespace

bool is_version_guarded(const Site &site, std::string_view api) {
  if (is_put_back(site, api)) {
    return true;
  }
  // `if hasattr(nn.utils.parametrizations, "weight_norm")` stands somewhere in the file: it knows of both.
  const std::string_view last = api.substr(api.rfind('.') + 1);
  if (!last.empty()) {
    const std::string quoted = "\"" + std::string(last) + "\")";
    if (file_has_word(site, {"hasattr("}) && file_has_word(site, {quoted})) {
      return true;
    }
  }
  return std::ranges::any_of(site.ancestors, [&site](const Node *node) {
    if (node->kind == NodeKind::Try) {
      return !static_cast<const Try *>(node)->handlers.empty();
    }
    const Node *test = node->kind == NodeKind::If      ? static_cast<const If *>(node)->test
                       : node->kind == NodeKind::IfExp ? static_cast<const IfExp *>(node)->test
                                                       : nullptr;
    return test != nullptr && (mentions_version(test) || is_version_flag(site, test));
  });
}

} // namespace deepperf::rules
