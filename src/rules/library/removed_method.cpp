#include "rules/api_history.h"
#include "rules/generator_methods.h"
#include "rules/library_object.h"
#include "rules/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace deepperf::rules::removed_method {

using namespace python;

namespace {

struct RemovedMethod {
  std::string_view object; // see library_object.h
  std::string_view method;
  std::string_view package;
  std::string_view since; // it is not there any more
  std::string_view instead;
  std::string_view renamed_to = {}; // a method that does the same; empty if there is none
};

// Sources: the release notes of TensorFlow 2.1, 2.6 and 2.16 (which brought Keras 3), pandas 0.20 to 3.0, Pillow 10,
// NetworkX 2.0 and 2.4, Gym 0.26, Gensim 4.0 and scikit-learn 1.2.
constexpr auto kMethods = std::to_array<RemovedMethod>({
    {"KerasModel", "fit_generator", "tensorflow", "2.16", "`fit`, which also takes generators", "fit"},
    {"KerasModel", "evaluate_generator", "tensorflow", "2.16", "`evaluate`, which also takes generators", "evaluate"},
    {"KerasModel", "predict_generator", "tensorflow", "2.16", "`predict`, which also takes generators", "predict"},
    {"KerasModel", "predict_classes", "tensorflow", "2.6",
     "`predict(…).argmax(axis=-1)`, or `(predict(…) > 0.5).astype(int)`"},
    {"KerasModel", "predict_proba", "tensorflow", "2.6", "`predict`", "predict"},
    {"Dataset", "make_one_shot_iterator", "tensorflow", "2.0", "`iter(dataset)`, or a `for` loop over the dataset"},
    {"Dataset", "make_initializable_iterator", "tensorflow", "2.0",
     "`iter(dataset)`, or a `for` loop over the dataset"},
    {"KerasMetric", "reset_states", "tensorflow", "2.16", "`reset_state`", "reset_state"},
    {"PandasFrame", "append", "pandas", "2.0", "`pandas.concat`"},
    {"PandasFrame", "iteritems", "pandas", "2.0", "`items`", "items"},
    {"PandasFrame", "lookup", "pandas", "2.0", "`to_numpy()` and indices of rows and columns"},
    {"PandasFrame", "mad", "pandas", "2.0", "`(frame - frame.mean()).abs().mean()`"},
    {"PandasFrame", "tshift", "pandas", "2.0", "`shift(freq=…)`"},
    {"PandasFrame", "as_matrix", "pandas", "1.0", "`to_numpy`", "to_numpy"},
    {"PandasFrame", "get_value", "pandas", "1.0", "`.at[row, column]`"},
    {"PandasFrame", "set_value", "pandas", "1.0", "`.at[row, column] = value`"},
    {"PandasFrame", "get_values", "pandas", "1.0", "`to_numpy`", "to_numpy"},
    {"PandasFrame", "get_dtype_counts", "pandas", "1.0", "`dtypes.value_counts()`"},
    {"PandasFrame", "clip_upper", "pandas", "1.0", "`clip(upper=…)`"},
    {"PandasFrame", "clip_lower", "pandas", "1.0", "`clip(lower=…)`"},
    {"PandasFrame", "nonzero", "pandas", "1.0", "`to_numpy().nonzero()`"},
    {"PandasFrame", "convert_objects", "pandas", "0.25", "`infer_objects` or `pandas.to_numeric`"},
    {"PandasFrame", "applymap", "pandas", "3.0", "`map`", "map"},
    {"PandasFrame", "swapaxes", "pandas", "3.0", "`transpose`"},
    {"PandasFrame", "pad", "pandas", "3.0", "`ffill`", "ffill"},
    {"PandasFrame", "backfill", "pandas", "3.0", "`bfill`", "bfill"},
    {"PandasFrame", "ix", "pandas", "1.0", "`.loc` for labels, `.iloc` for positions"},
    {"PilFont", "getsize", "pillow", "10.0", "`getbbox` or `getlength`"},
    {"PilFont", "getsize_multiline", "pillow", "10.0", "`ImageDraw.multiline_textbbox`"},
    {"PilFont", "getoffset", "pillow", "10.0", "`getbbox`"},
    {"PilDraw", "textsize", "pillow", "10.0", "`textbbox` or `textlength`"},
    {"PilDraw", "multiline_textsize", "pillow", "10.0", "`multiline_textbbox`"},
    {"NetworkxGraph", "node", "networkx", "2.4", "`nodes`", "nodes"},
    {"NetworkxGraph", "nodes_iter", "networkx", "2.0", "`nodes`", "nodes"},
    {"NetworkxGraph", "edges_iter", "networkx", "2.0", "`edges`", "edges"},
    {"NetworkxGraph", "neighbors_iter", "networkx", "2.0", "`neighbors`", "neighbors"},
    {"NetworkxGraph", "degree_iter", "networkx", "2.0", "`degree`", "degree"},
    {"NetworkxGraph", "add_path", "networkx", "2.4", "`networkx.add_path(graph, …)`"},
    {"NetworkxGraph", "add_cycle", "networkx", "2.4", "`networkx.add_cycle(graph, …)`"},
    {"NetworkxGraph", "add_star", "networkx", "2.4", "`networkx.add_star(graph, …)`"},
    {"NetworkxGraph", "selfloop_edges", "networkx", "2.4", "`networkx.selfloop_edges(graph)`"},
    {"NetworkxGraph", "nodes_with_selfloops", "networkx", "2.4", "`networkx.nodes_with_selfloops(graph)`"},
    {"NetworkxGraph", "number_of_selfloops", "networkx", "2.4", "`networkx.number_of_selfloops(graph)`"},
    {"NetworkxGraph", "fresh_copy", "networkx", "2.4", "`graph.__class__()`"},
    {"GymEnv", "seed", "gym", "0.26", "`env.reset(seed=…)`"},
    {"WordVectors", "vocab", "gensim", "4.0", "`key_to_index`"},
    {"WordVectors", "index2word", "gensim", "4.0", "`index_to_key`", "index_to_key"},
    {"WordVectors", "index2entity", "gensim", "4.0", "`index_to_key`", "index_to_key"},
    {"WordVectors", "syn0", "gensim", "4.0", "`vectors`", "vectors"},
    {"WordVectors", "syn0norm", "gensim", "4.0", "`get_normed_vectors()`"},
    {"WordModel", "most_similar", "gensim", "4.0", "`model.wv.most_similar`", "wv.most_similar"},
    {"WordModel", "similarity", "gensim", "4.0", "`model.wv.similarity`", "wv.similarity"},
    {"WordModel", "n_similarity", "gensim", "4.0", "`model.wv.n_similarity`", "wv.n_similarity"},
    {"WordModel", "most_similar_cosmul", "gensim", "4.0", "`model.wv.most_similar_cosmul`", "wv.most_similar_cosmul"},
    {"WordModel", "doesnt_match", "gensim", "4.0", "`model.wv.doesnt_match`", "wv.doesnt_match"},
    {"WordModel", "similar_by_word", "gensim", "4.0", "`model.wv.similar_by_word`", "wv.similar_by_word"},
    {"WordModel", "similar_by_vector", "gensim", "4.0", "`model.wv.similar_by_vector`", "wv.similar_by_vector"},
    {"Vectorizer", "get_feature_names", "scikit-learn", "1.2", "`get_feature_names_out`, which returns an array"},
});

const RemovedMethod *find_method_of(std::string_view object, std::string_view method) {
  const auto found = std::ranges::find_if(
      kMethods, [&](const RemovedMethod &known) { return known.object == object && known.method == method; });
  return found != kMethods.end() ? &*found : nullptr;
}

// Cells of a frame are not known to us, and may be lists: `frame["words"][0].append(word)`, also under a name.
bool may_be_a_cell(const Site &site, const Expr *receiver) {
  if (const auto *name = as<Name>(receiver)) {
    const auto *made = as<Subscript>(last_assigned(site, *name));
    return made != nullptr && (made->slice->kind == NodeKind::Tuple || may_be_a_cell(site, made));
  }
  const auto *entry = as<Subscript>(receiver);
  if (entry == nullptr) {
    return false;
  }
  const bool is_choice = entry->slice->kind == NodeKind::List || entry->slice->kind == NodeKind::Compare ||
                         entry->slice->kind == NodeKind::Constant;
  return entry->value->kind != NodeKind::Name || !is_choice;
}

void report_method(Site &site, const Attribute &method, const RemovedMethod &known, const Call *call) {
  const bool is_tensorflow = known.package == "tensorflow";
  if (is_version_guarded(site) || (known.object == "PandasFrame" && may_be_a_cell(site, method.value)) ||
      (known.since == "2.0" && is_tensorflow && file_has_word(site, {"compat.v1", "disable_v2_behavior"}))) {
    return; // Datasets of compat.v1 still have them
  }
  const Status status = status_in(site, known.package, known.since);
  // Most code that uses these runs with the version of its time.
  const bool is_usual = is_tensorflow && (known.method == "reset_states" || (known.since == "2.0" && !site.module->v2));
  const bool is_for_upgrade = concerns_upgrade(status, known.package);
  if ((status == Status::Fine && !is_for_upgrade) || (status == Status::Unknown && is_usual)) {
    return;
  }
  const std::string_view shown = is_tensorflow ? "TensorFlow" : known.package;
  const u32 start = method.end - static_cast<u32>(known.method.size());
  Finding &finding = report(site, Span{start, method.end},
                            fmt::format("`{}` was removed in {} {}{}", known.method, shown, known.since,
                                        required_version(site, known.package, known.since)),
                            fmt::format("use {}", known.instead));
  if (is_for_upgrade) {
    return report_for_upgrade(finding, site, known.package);
  }
  if (status == Status::Unknown && is_tensorflow && (known.since == "2.0" || (site.module->v1 && !site.module->v2))) {
    finding.tier = Tier::Hint; // older code is often run with the version it was written for
  }
  if (known.renamed_to.empty()) {
    return;
  }
  if (known.object != "KerasModel") {
    // What is called is the same, but older versions may not have the new name yet.
    set_fix(finding, status == Status::Gone, {Edit{start, method.end, std::string(known.renamed_to)}});
  } else if (call != nullptr) {
    if (std::optional<Fix> fix = without_generator_method(site, *call)) {
      set_fix(finding, status == Status::Gone && fix->safe, std::move(fix->edits));
    }
  }
}

void check(Site &site, const Call &call) {
  const auto *method = as<Attribute>(call.func);
  const std::string name = called_name(site, call);
  const std::size_t dot = name.find('.');
  const RemovedMethod *const known = method != nullptr && dot != std::string::npos
                                         ? find_method_of(std::string_view(name).substr(0, dot), method->attr.text())
                                         : nullptr;
  if (known != nullptr) {
    report_method(site, *method, *known, &call);
  }
}

// `frame.ix[0]`, `graph.node[0]`: attributes that are not called
void check_attribute(Site &site, const Node &node) {
  const auto *attribute = as<Attribute>(&node);
  if (attribute == nullptr || attribute->context != Context::Load) {
    return;
  }
  std::string_view object = object_name(value_of(site, attribute->value));
  const auto *vectors = as<Attribute>(attribute->value);
  if (vectors != nullptr && vectors->attr.text() == "wv" &&
      object_name(value_of(site, vectors->value)) == "WordModel") {
    object = "WordVectors";
  }
  const RemovedMethod *const known = object.empty() ? nullptr : find_method_of(object, attribute->attr.text());
  if (known != nullptr) {
    report_method(site, *attribute, *known, nullptr);
  }
}

} // namespace

extern constinit const Rule kRemovedMethod = {
    .info = {.code = "DP304",
             .name = "removed-method",
             .summary = "a method that newer versions of the library do not have",
             .root_cause = "Library: Mismatched Library Version",
             .symptoms = "Program Crash",
             .stage = "Environment Setting",
             .frameworks = "TensorFlow, Keras, PyTorch",
             .severity = Severity::Error,
             .tier = Tier::On,
             .fix = FixKind::Safe,
             .documentation = R"(## What it finds

`fit_generator`, `evaluate_generator`, `predict_generator`, `predict_classes` and `predict_proba` of a Keras model,
`reset_states` of a metric, `make_one_shot_iterator` and `make_initializable_iterator` of a `tf.data.Dataset`, `append`,
`iteritems`, `ix` and others of a pandas `DataFrame`, `getsize` of a font of Pillow and `textsize` of its drawings,
`node` and others of a NetworkX graph, `seed` of a Gym environment, `vocab` and `index2word` of Gensim's vectors, and
`get_feature_names` of scikit-learn, unless the project's requirements keep the library below the version that removed
them. Those of `tf.data` are reported as a hint where the version is unknown.

## Why it is wrong

The program fails with an `AttributeError` when it gets there. Keras 3, the default since TensorFlow 2.16, also has no
`workers`, `use_multiprocessing` and `max_queue_size` in `fit`: pass them to the constructor of a
`keras.utils.PyDataset` instead.

## Bad

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.fit_generator(batches)
```

## Good

```python
from tensorflow import keras

model = keras.Sequential([keras.layers.Dense(1)])
model.fit(batches)
```

## When it is wrong

Where the program runs with an old version on purpose; state it in the requirements.

## References

- Release notes of TensorFlow 2.1, 2.6 and 2.16
)"},
    .calls = "KerasModel.fit_generator KerasModel.evaluate_generator KerasModel.predict_generator "
             "KerasModel.predict_classes KerasModel.predict_proba Dataset.make_one_shot_iterator "
             "Dataset.make_initializable_iterator KerasMetric.reset_states PandasFrame.append "
             "PandasFrame.iteritems PandasFrame.lookup PandasFrame.mad PandasFrame.tshift "
             "PandasFrame.as_matrix PandasFrame.get_value PandasFrame.set_value PandasFrame.get_values "
             "PandasFrame.get_dtype_counts PandasFrame.clip_upper PandasFrame.clip_lower "
             "PandasFrame.nonzero PandasFrame.convert_objects PandasFrame.applymap PandasFrame.swapaxes "
             "PandasFrame.pad PandasFrame.backfill LibraryObject.getsize LibraryObject.getsize_multiline "
             "LibraryObject.getoffset LibraryObject.textsize LibraryObject.multiline_textsize LibraryObject.nodes_iter "
             "LibraryObject.edges_iter LibraryObject.neighbors_iter LibraryObject.degree_iter "
             "LibraryObject.add_path LibraryObject.add_cycle LibraryObject.add_star "
             "LibraryObject.selfloop_edges LibraryObject.nodes_with_selfloops "
             "LibraryObject.number_of_selfloops LibraryObject.fresh_copy LibraryObject.seed "
             "LibraryObject.most_similar LibraryObject.similarity LibraryObject.n_similarity "
             "LibraryObject.most_similar_cosmul LibraryObject.doesnt_match LibraryObject.similar_by_word "
             "LibraryObject.similar_by_vector LibraryObject.get_feature_names",
    .on_call = check,
    .names = "index2entity index2word ix node syn0 syn0norm vocab",
    .on_node = check_attribute};

} // namespace deepperf::rules::removed_method
