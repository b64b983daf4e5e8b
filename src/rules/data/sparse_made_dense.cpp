#include "rules/origins.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::sparse_made_dense {

using namespace python;
using model::FunctionInfo;

namespace {

constexpr i64 kManyColumns = 5000; // a row of float64 then takes 40 KB

std::string_view last_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

enum class Width : u8 { Unknown, Small, Words, Many };

// How many columns does a vectorizer of scikit-learn give?
Width width_of(const Site &site, const Call &maker, std::string_view api) {
  const std::string_view name = last_name(api);
  if (!api.starts_with("sklearn.feature_extraction.")) {
    return Width::Unknown;
  }
  const bool hashes = name == "HashingVectorizer" || name == "FeatureHasher";
  if (!hashes && name != "TfidfVectorizer" && name != "CountVectorizer") {
    return Width::Unknown;
  }
  const Site there = site_of(site, maker);
  const model::Argument given = argument_of(there, maker, 64, hashes ? "n_features" : "max_features");
  if (given.is_absent()) {
    // A given vocabulary, and characters, may be few; 2**20 is what hashing takes.
    const bool is_own = keyword_argument(maker, "vocabulary") != nullptr ||
                        keyword_argument(maker, "analyzer") != nullptr ||
                        keyword_argument(maker, "min_df") != nullptr || has_hidden_arguments(maker);
    return hashes ? Width::Many : is_own ? Width::Unknown : Width::Words;
  }
  const std::optional<model::ConstantValue> columns = setting_of(there, given, model::ConstantValue::none());
  const std::optional<i64> number = columns.has_value() ? columns->as_integer() : std::nullopt;
  return !number.has_value() ? Width::Unknown : *number >= kManyColumns ? Width::Many : Width::Small;
}

struct Matrix {
  const Call *maker = nullptr;            // the vectorizer
  const Call *transform = nullptr;        // that gave the matrix
  const FunctionInfo *function = nullptr; // where that stands
  Width width = Width::Unknown;
};

Matrix matrix_of(const Site &site, const FunctionInfo &function, const Expr *expr) {
  Matrix found;
  bool is_part = false;
  visit_origins(site, function, expr, [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    if (call == nullptr) {
      is_part |= origin.expr->kind == NodeKind::Subscript || !origin.path.empty(); // some rows
      return origin.parameter_of != nullptr ? Onward::Through : Onward::Stop;
    }
    const std::string_view method = called_method(*call);
    is_part |= !origin.path.empty() && method != "train_test_split";
    if ((method != "transform" && method != "fit_transform") || receiver_of(*call) == nullptr || call->args.empty()) {
      return called_api(site_of_origin(site, *origin.function), *call).ends_with("train_test_split") ||
                     method == "tocsr" || method == "astype"
                 ? Onward::Through
                 : Onward::Stop;
    }
    visit_origins(site, *origin.function, receiver_of(*call), [&](const Origin &object) {
      const auto *maker = as<Call>(object.expr);
      const Site there = site_of_origin(site, *object.function);
      const std::string_view api = maker != nullptr ? called_api(there, *maker) : std::string_view{};
      const Width width = maker != nullptr ? width_of(there, *maker, api) : Width::Unknown;
      if (width != Width::Unknown && found.maker == nullptr) {
        found = {maker, call, origin.function, width};
      }
      const bool is_fitted = maker != nullptr && called_method(*maker) == "fit" && receiver_of(*maker) != nullptr;
      return object.parameter_of != nullptr || is_fitted ? Onward::Through : Onward::Stop;
    });
    return Onward::Stop;
  });
  return is_part ? Matrix{} : found;
}

// All texts of a file or data set, and not the one of a request?
bool is_corpus(const Site &site, const Matrix &matrix) {
  bool is_read = false;
  visit_origins(site, *matrix.function, matrix.transform->args[0], [&](const Origin &origin) {
    const auto *call = as<Call>(origin.expr);
    const std::string_view api =
        call != nullptr ? called_api(site_of_origin(site, *origin.function), *call) : std::string_view{};
    is_read |= api.starts_with("pandas.read_") || api.starts_with("sklearn.datasets.") || api == "open" ||
               api == "datasets.load_dataset" || api == "numpy.load";
    return is_read ? Onward::Stop : Onward::Through;
  });
  return is_read;
}

bool is_for_a_batch(const Site &site) {
  const FunctionDef *definition = site.function->definition();
  if (loop_around(site) != nullptr || context_of(site).repeated || site.function->passed) {
    return true;
  }
  struct Yields {
    bool anything = false;
  };
  return definition != nullptr && (definition->name.text() == "__getitem__" ||
                                   site.memory
                                       .recall<Yields>(definition,
                                                       [definition] {
                                                         return Yields{any_node(definition->body, [](const Node *node) {
                                                           return node->kind == NodeKind::Yield;
                                                         })};
                                                       })
                                       .anything);
}

void check(Site &site, const Call &call) {
  if (!call.args.empty() || site.function == nullptr || site.module->is_test || receiver_of(call) == nullptr ||
      !file_has_word(site, {"Vectorizer", "FeatureHasher"}) || is_for_a_batch(site)) {
    return;
  }
  const Matrix matrix = matrix_of(site, *site.function, receiver_of(call));
  if (matrix.maker == nullptr || matrix.width == Width::Small || matrix.transform->args[0]->kind == NodeKind::List) {
    return;
  }
  const bool corpus = is_corpus(site, matrix);
  if (!corpus && matrix.width == Width::Words) {
    return;
  }
  const std::string_view width =
      matrix.width == Width::Many ? "thousands of columns" : "a column for every word of the texts";
  Finding &finding = report(site, call,
                            fmt::format("`{}()` stores every zero of a sparse matrix with {}, for all texts at once",
                                        called_method(call), width),
                            "keep the matrix sparse, and convert the rows of one batch at a time");
  finding.notes.push_back({site_of(site, *matrix.maker).module->file, matrix.maker->span(), "the vectorizer"});
  finding.tier = corpus ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kSparseMadeDense = {
    .info = {.code = "DP455",
             .name = "sparse-made-dense",
             .summary = "the sparse matrix of all texts that is converted to a dense array",
             .root_cause = "Data: Inefficient Data Preprocessing",
             .symptoms = "Out of Memory",
             .stage = "Data Preparation",
             .frameworks = "TensorFlow, Keras, JAX",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`toarray()` or `todense()` of what a `TfidfVectorizer`, `CountVectorizer` or `HashingVectorizer` gives for all texts of a file or data set,
where the vectorizer has 5,000 columns or more, or one for every word. It is a hint where it is not known how many texts there are.

## Why it costs

A text has a few hundred words, so more than 99 % of the numbers are zeros, which the sparse matrix does not store. 50,000 texts with
20,000 columns take 8 GB as a dense array of float64, and about 100 MB as a sparse matrix.

## Bad

```python
import keras
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

frame = pd.read_csv("tickets.csv")
features = TfidfVectorizer(max_features=50_000).fit_transform(frame["text"]).toarray()
model.fit(features, frame["queue"], batch_size=256)
```

## Good

```python
import keras
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer


class Batches(keras.utils.PyDataset):
    def __init__(self, features, labels):
        super().__init__()
        self.features, self.labels = features, labels

    def __len__(self):
        return self.features.shape[0] // 256

    def __getitem__(self, i):
        rows = slice(i * 256, (i + 1) * 256)
        return self.features[rows].toarray(), self.labels[rows]


frame = pd.read_csv("tickets.csv")
features = TfidfVectorizer(max_features=50_000).fit_transform(frame["text"])
model.fit(Batches(features, frame["queue"].to_numpy()))
```

## When it is wrong

Where there are a few hundred texts only.

## References

- scikit-learn: working with text data, sparsity
)"},
    .calls = "*.toarray *.todense",
    .on_call = check};

} // namespace deepperf::rules::sparse_made_dense
