#include "base/name_table.h"
#include "model/bind.h"
#include "model/classes.h"
#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace deepperf::rules::fitted_before_split {

using namespace python;
using model::FunctionInfo;

namespace {

std::string_view last_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

// Transformers of scikit-learn whose result for one row depends on the other rows that they were fitted to. Those that
// only number categories (LabelEncoder) or look at a row by itself (Normalizer) leak nothing.
bool learns_statistics(std::string_view api) {
  static constexpr std::string_view kNames[] = {"StandardScaler",
                                                "MinMaxScaler",
                                                "RobustScaler",
                                                "MaxAbsScaler",
                                                "QuantileTransformer",
                                                "PowerTransformer",
                                                "SimpleImputer",
                                                "KNNImputer",
                                                "IterativeImputer",
                                                "PCA",
                                                "TruncatedSVD",
                                                "KernelPCA",
                                                "FastICA",
                                                "NMF",
                                                "SelectKBest",
                                                "SelectPercentile",
                                                "SelectFromModel",
                                                "RFE",
                                                "VarianceThreshold",
                                                "TfidfVectorizer",
                                                "TfidfTransformer",
                                                "TargetEncoder",
                                                "KBinsDiscretizer",
                                                "LinearDiscriminantAnalysis"};
  return api.starts_with("sklearn.") && std::ranges::find(kNames, last_name(api)) != std::end(kNames);
}

bool makes_rows(std::string_view api) {
  return api.starts_with("imblearn.over_sampling.") || api.starts_with("imblearn.combine.");
}

bool is_composition(std::string_view api) {
  const std::string_view name = last_name(api);
  return api.starts_with("sklearn.") &&
         (name == "Pipeline" || name == "make_pipeline" || name == "ColumnTransformer" ||
          name == "make_column_transformer" || name == "FeatureUnion" || name == "make_union");
}

// Does a class of the project learn statistics: a `fit(x)` that stores the mean, deviation or range of x?
bool learns_statistics(const model::ClassInfo &type) {
  static const NameTable kStatistics({"mean", "std", "var", "min", "max", "amin", "amax", "median", "quantile"});
  const FunctionInfo *const fit = model::find_method_of(type, intern("fit"));
  const FunctionDef *const definition = fit != nullptr ? fit->definition() : nullptr;
  if (definition == nullptr || fit->params.size() != 2 || type.kind != Kind::Unknown) {
    return false;
  }
  const Symbol data = fit->params[1]->name;
  return any_node(definition->body, [&](const Node *node) {
    const auto *store = as<Assign>(node);
    const auto *target = store != nullptr && store->targets.size() == 1 ? as<Attribute>(store->targets[0]) : nullptr;
    return target != nullptr && model::is_own_object(*fit, target->value) &&
           any_node(store->value, [&](const Node *part) {
             const auto *call = as<Call>(part);
             const auto *of = call != nullptr ? as<Name>(receiver_of(*call)) : nullptr;
             const bool is_method = of != nullptr && of->id == data && kStatistics.has(intern(called_method(*call)));
             const auto *given = call != nullptr && !call->args.empty() ? as<Name>(call->args[0]) : nullptr;
             const bool is_function =
                 given != nullptr && given->id == data && of != nullptr && kStatistics.has(intern(called_name(*call)));
             return is_method || is_function;
           });
  });
}

// The name of what learns statistics in the object: a scaler, or a pipeline with one in it. Empty if nothing does.
std::string_view learner_in(const Site &site, const FunctionInfo &function, const Expr *object) {
  std::string_view found;
  visit_origins(site, function, object, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
    if (learns_statistics(api) || makes_rows(api)) {
      found = found.empty() ? api : found;
      return Onward::Stop;
    }
    const bool goes_on = is_composition(api) || origin.parameter_of != nullptr;
    return goes_on ? Onward::Through : Onward::Stop;
  });
  return found;
}

// What hands its input on as it is: casts, columns, joins of columns.
bool hands_on(std::string_view api, std::string_view method) {
  static constexpr std::string_view kMethods[] = {"astype", "to_numpy", "toarray", "todense", "reshape", "copy",
                                                  "dropna", "fillna",   "drop",    "numpy",   "squeeze", "flatten"};
  static constexpr std::string_view kFunctions[] = {
      "numpy.array",       "numpy.asarray",          "numpy.hstack",        "numpy.column_stack",
      "numpy.concatenate", "numpy.nan_to_num",       "numpy.float32",       "pandas.DataFrame",
      "pandas.concat",     "scipy.sparse.hstack",    "numpy.expand_dims",   "numpy.reshape",
      "torch.tensor",      "torch.from_numpy",       "torch.as_tensor",     "torch.FloatTensor",
      "jax.numpy.asarray", "jax.numpy.array",        "tensorflow.constant", "tensorflow.convert_to_tensor",
      "numpy.nan_to_num",  "numpy.ascontiguousarray"};
  return std::ranges::find(kFunctions, api) != std::end(kFunctions) ||
         (api.empty() && std::ranges::find(kMethods, method) != std::end(kMethods));
}

bool is_split(std::string_view api) { return api == "sklearn.model_selection.train_test_split"; }

// Where the data that it was fitted to come from: all of a file, or a part that somebody split off before?
enum class Whole : u8 { Unknown, No, Yes };

Whole is_whole(const Site &site, const FunctionInfo &function, const Expr *data) {
  bool is_read = false;
  bool is_part = false;
  bool is_other = false;
  visit_origins(site, function, data, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
    const std::string_view method = call != nullptr ? called_name(*call) : std::string_view{};
    is_part |= is_split(api) || method == "load_data" || method == "train_test_split" || method == "sample" ||
               method == "split";
    is_read |= api.starts_with("pandas.read_") || api.starts_with("sklearn.datasets.") || api == "numpy.load" ||
               api == "numpy.loadtxt" || api == "numpy.genfromtxt" || api == "open";
    // read_csv("train.csv"): the test data are in another file.
    const auto *path = as<Constant>(origin.expr);
    is_other |= path != nullptr && path->is_string() &&
                text_of(site_of_origin(site, *origin.function), path).find("train") != std::string_view::npos;
    const auto *part = as<Subscript>(origin.expr);
    const auto *rows = part != nullptr ? as<Slice>(part->slice) : nullptr;
    is_part |= rows != nullptr && rows->lower == nullptr && rows->upper != nullptr;
    const bool stops = is_split(api) || method == "load_data";
    return stops ? Onward::Stop : Onward::Through;
  });
  return is_part ? Whole::No : is_read && !is_other ? Whole::Yes : Whole::Unknown;
}

// What was fitted to the data, on the way back from where they are split.
struct Fitted {
  const FunctionInfo *function = nullptr;
  const Call *call = nullptr;
  std::string_view learner;
  const Expr *data = nullptr;
};

// The scaler.fit(x) in the same function that comes before scaler.transform(x), with the same data.
const Call *fitted_before(const Site &there, const FunctionInfo &function, const Call &transform) {
  struct Fits {
    std::vector<const Call *> calls;
  };
  const Fits &fits = there.memory.recall<Fits>(&function, [&] {
    Fits found;
    const auto look_at = [&](const Node *node) {
      const auto *call = as<Call>(node);
      if (call != nullptr && called_method(*call) == "fit" && !call->args.empty()) {
        found.calls.push_back(call);
      }
      return false;
    };
    if (const FunctionDef *definition = function.definition()) {
      any_node(definition->body, look_at);
    } else if (function.node == nullptr) {
      any_node(function.module->parsed->tree.body, look_at);
    }
    return found;
  });
  const Expr *receiver = receiver_of(transform);
  const Call *found = nullptr;
  for (const Call *fit : fits.calls) {
    if (fit->start < transform.start && receiver_of(*fit) != nullptr && !transform.args.empty() &&
        text_of(there, receiver_of(*fit)) == text_of(there, receiver) &&
        text_of(there, fit->args[0]) == text_of(there, transform.args[0])) {
      found = fit;
    }
  }
  // StandardScaler().fit(x).transform(x)
  const auto *named = as<Name>(receiver); // scaler = StandardScaler().fit(x)
  const auto *chained = as<Call>(named != nullptr ? last_assigned(there, *named) : receiver);
  if (found == nullptr && chained != nullptr && called_method(*chained) == "fit" && !chained->args.empty() &&
      !transform.args.empty() && text_of(there, chained->args[0]) == text_of(there, transform.args[0])) {
    found = chained;
  }
  return found;
}

// The object that a fit is called on, also in `StandardScaler().fit(x)`.
Fitted fitted_by(const Site &site, const FunctionInfo &function, const Call &call) {
  const std::string_view method = called_method(call);
  const Site there = site_of_origin(site, function);
  const Call *fit = method == "fit_transform" || method == "fit_resample" || method == "fit_sample" ? &call
                    : method == "transform" ? fitted_before(there, function, call)
                                            : nullptr;
  if (fit == nullptr || receiver_of(*fit) == nullptr || fit->args.empty()) {
    return {};
  }
  const std::string_view learner = learner_in(site, function, receiver_of(*fit));
  return {.function = &function, .call = fit, .learner = learner, .data = fit->args[0]};
}

Fitted find_fitted(const Site &site, const FunctionInfo &function, const Expr *data) {
  Fitted found;
  visit_origins(site, function, data, [&](const Origin &origin) {
    if (found.call != nullptr) {
      return Onward::Stop;
    }
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      return origin.parameter_of != nullptr || origin.expr->kind == NodeKind::Subscript ? Onward::Through
                                                                                        : Onward::Stop;
    }
    const Site there = site_of_origin(site, *origin.function);
    const std::string_view api = called_api(there, *call);
    const Fitted one = fitted_by(site, *origin.function, *call);
    // Of `x, y = smote.fit_resample(x, y)` the path says which; both have rows that were made.
    if (!one.learner.empty()) {
      found = one;
      return Onward::Stop;
    }
    const bool is_map = called_method(*call) == "transform" || called_method(*call) == "fit_transform";
    return is_map || hands_on(api, called_method(*call)) ? Onward::Through : Onward::Stop;
  });
  return found;
}

// The same for a scaler of the project's own: `series = scaler.transform(series)`.
Fitted find_own_fitted(const Site &site, const Expr *data) {
  const auto *name = as<Name>(data);
  const auto *transform = as<Call>(name != nullptr ? last_assigned(site, *name) : data);
  const Expr *const scaler = transform != nullptr ? receiver_of(*transform) : nullptr;
  if (scaler == nullptr || called_method(*transform) != "transform") {
    return {};
  }
  const model::Value value = value_of(site, scaler);
  const Call *const fit = value.is(model::Value::Tag::Object) && learns_statistics(*value.type)
                              ? fitted_before(site_of_origin(site, *site.function), *site.function, *transform)
                              : nullptr;
  return fit != nullptr && !fit->args.empty()
             ? Fitted{.function = site.function, .call = fit, .learner = value.type->name.text(), .data = fit->args[0]}
             : Fitted{};
}

void lint(Site &site, const Node &split, const Expr *data) {
  Fitted fitted = find_fitted(site, *site.function, data);
  fitted = fitted.call == nullptr ? find_own_fitted(site, data) : fitted;
  if (fitted.call == nullptr) {
    return;
  }
  const Whole whole = is_whole(site, *fitted.function, fitted.data);
  if (whole == Whole::No) {
    return;
  }
  Site there = site_of_origin(site, *fitted.function);
  const std::string_view name = last_name(fitted.learner);
  Finding &finding =
      makes_rows(fitted.learner)
          ? report(there, *fitted.call,
                   fmt::format("`{}` creates rows from all data before they are split, so the training data contain "
                               "mixtures of test rows",
                               name),
                   "split first, and resample the training part only")
          : report(there, *fitted.call,
                   fmt::format("`{}` is fitted to all data before they are split, so training sees statistics of the "
                               "test data",
                               name),
                   "split first, fit it to the training part, and call `transform` on the other part");
  finding.notes.push_back({site.module->file, split.span(), "split here"});
  if (whole == Whole::Unknown || site.module->is_test) {
    finding.tier = Tier::Hint; // perhaps the test data are somewhere else
  }
}

void check_split(Site &site, const Call &call) {
  if (site.function == nullptr || call.args.empty()) {
    return;
  }
  const std::size_t before = site.findings.size();
  for (const Expr *data : call.args) {
    if (site.findings.size() == before) {
      lint(site, call, data);
    }
  }
}

// ---- Split by hand: `train, test = scaled[:n], scaled[n:]`
// ------------------------------------------------------------

const Slice *rows_of(const Subscript &part) {
  const auto *several = as<Tuple>(part.slice);
  return as<Slice>(several != nullptr && !several->elts.empty() ? several->elts[0] : part.slice);
}

struct Tails {
  std::unordered_set<std::string> of; // "scaled\nn" of `scaled[n:]`
};

std::string key_of(const Site &site, const Expr *array, const Expr *bound) {
  return fmt::format("{}\n{}", text_of(site, array), text_of(site, bound));
}

const Tails &tails_of(const Site &site) {
  return site.memory.recall<Tails>(site.function, [&] {
    Tails found;
    const auto look_at = [&](const Node *node) {
      const auto *part = as<Subscript>(node);
      const Slice *rows = part != nullptr ? rows_of(*part) : nullptr;
      if (rows != nullptr && rows->lower != nullptr && rows->step == nullptr) {
        found.of.insert(key_of(site, part->value, rows->lower));
        // `series[n - past :]`, with the past of the first window
        const auto *shifted = as<BinOp>(rows->lower);
        if (shifted != nullptr && shifted->op() == Operator::Sub) {
          found.of.insert(key_of(site, part->value, shifted->left));
        }
      }
      return false;
    };
    if (const FunctionDef *definition = site.function->definition()) {
      any_node(definition->body, look_at);
    } else if (site.function->node == nullptr) {
      any_node(site.function->module->parsed->tree.body, look_at);
    }
    return found;
  });
}

bool mentions_fit(const Site &site) { return file_has_word(site, {"sklearn", "imblearn", ".fit("}); }

void check_slices(Site &site, const Node &node) {
  const auto &head = static_cast<const Subscript &>(node);
  const Slice *rows = rows_of(head);
  if (rows == nullptr || rows->lower != nullptr || rows->upper == nullptr || rows->step != nullptr ||
      head.context != Context::Load || site.function == nullptr || head.value->kind != NodeKind::Name ||
      (rows->upper->kind != NodeKind::Name && rows->upper->kind != NodeKind::Attribute) || !mentions_fit(site) ||
      !tails_of(site).of.contains(key_of(site, head.value, rows->upper))) {
    return;
  }
  lint(site, node, head.value);
}

} // namespace

extern constinit const Rule kFittedBeforeSplit = {
    .info = {.code = "DP967",
             .name = "fitted-before-split",
             .summary = "a scaler, imputer or similar transformer that is fitted to all data before they are split",
             .root_cause = "Training: Wrong Data",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras, PyTorch, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

A scaler, imputer, feature selection, projection or TF-IDF of scikit-learn that is fitted to a whole data set, and a split of the result into
training and test data, by `train_test_split` or by slices at the same index. The same for rows that `SMOTE` and other samplers of
imbalanced-learn create before the split. It is a hint where the data may be a part already.

## Why it is wrong

Means, quantiles, components and synthetic rows then contain the test data, so the test score is better than what the model does on new
data. For rows that a sampler interpolates, the training data contain mixtures of test rows.

## Bad

```python
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

frame = pd.read_csv("churn.csv")
features = StandardScaler().fit_transform(frame.drop(columns="churned"))
x_train, x_test, y_train, y_test = train_test_split(features, frame["churned"])
```

## Good

```python
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

frame = pd.read_csv("churn.csv")
x_train, x_test, y_train, y_test = train_test_split(frame.drop(columns="churned"), frame["churned"])
scaler = StandardScaler()
x_train = scaler.fit_transform(x_train)
x_test = scaler.transform(x_test)
```

## When it is wrong

Where the test data are somewhere else, and the split only separates data to watch the training.

## References

- scikit-learn: common pitfalls, data leakage during pre-processing
)"},
    .calls = "sklearn.model_selection.train_test_split",
    .on_call = check_split,
    .nodes = {NodeKind::Subscript},
    .on_node = check_slices};

} // namespace deepperf::rules::fitted_before_split
