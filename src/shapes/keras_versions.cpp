// What old versions of Keras did otherwise: the names of Keras 1, and arrays whose rank had to be right.
#include "shapes/keras.h"

#include "project/requirements.h"
#include "python/children.h"
#include "python/literals.h"

#include <algorithm>
#include <array>

namespace deepperf::shapes {

using namespace python;
using Tag = Value::Tag;

namespace {

struct OldName {
  std::string_view old_name;
  std::string_view name;
};
// Arguments of Keras 1. Versions up to 2.3 took them with a warning, later ones refuse them.
constexpr OldName kOldNames[] = {
    {"nb_filter", "filters"},
    {"filter_length", "kernel_size"},
    {"border_mode", "padding"},
    {"subsample", "strides"},
    {"subsample_length", "strides"},
    {"init", "kernel_initializer"},
    {"inner_init", "recurrent_initializer"},
    {"inner_activation", "recurrent_activation"},
    {"W_regularizer", "kernel_regularizer"},
    {"b_regularizer", "bias_regularizer"},
    {"W_constraint", "kernel_constraint"},
    {"b_constraint", "bias_constraint"},
    {"dim_ordering", "data_format"},
    {"pool_length", "pool_size"},
    {"dropout_W", "dropout"},
    {"dropout_U", "recurrent_dropout"},
    {"forget_bias_init", "bias_initializer"},
    {"bias", "use_bias"},
    {"p", "rate"},
};
// The same, of methods.
constexpr std::string_view kOldMethodArguments[] = {"nb_epoch", "samples_per_epoch", "nb_val_samples", "nb_worker",
                                                    "val_samples"};

bool is_sure_sign(std::string_view keyword) {
  static constexpr std::string_view kSigns[] = {"nb_filter",     "border_mode",   "subsample",     "dim_ordering",
                                                "W_regularizer", "b_regularizer", "filter_length", "inner_init"};
  return std::ranges::find(kSigns, keyword) != std::end(kSigns) ||
         std::ranges::find(kOldMethodArguments, keyword) != std::end(kOldMethodArguments);
}

// Modules that were gone in 2020, when Keras 2.4 and TensorFlow 2.2 came: of Keras itself, of libraries that programs
// use beside it, of Python 2.
bool is_gone(std::string_view module) {
  static constexpr std::string_view kModules[] = {"keras.backend.tensorflow_backend",
                                                  "keras.engine.topology",
                                                  "keras.objectives",
                                                  "keras.legacy",
                                                  "tensorflow.examples.tutorials",
                                                  "tensorflow.contrib",
                                                  "sklearn.cross_validation",
                                                  "sklearn.grid_search",
                                                  "sklearn.preprocessing.Imputer",
                                                  "sklearn.datasets.fetch_mldata",
                                                  "scipy.misc.imread",
                                                  "scipy.misc.imresize",
                                                  "scipy.misc.imsave",
                                                  "keras.layers.Merge",
                                                  "keras.layers.merge.Merge",
                                                  "theano",
                                                  "cPickle",
                                                  "urllib2",
                                                  "StringIO",
                                                  "Queue"};
  return std::ranges::any_of(kModules, [&](std::string_view gone) {
    return module == gone || (module.starts_with(gone) && module[gone.size()] == '.');
  });
}

bool imports_gone(const Node *node) {
  if (const auto *import = as<Import>(node)) {
    return std::ranges::any_of(import->names, [](const Alias *alias) { return is_gone(alias->name.text()); });
  }
  const auto *from = as<ImportFrom>(node);
  if (from == nullptr || from->level != 0 || !from->module) {
    return false;
  }
  const std::string module(from->module.text());
  return is_gone(module) || std::ranges::any_of(from->names, [&](const Alias *alias) {
           return is_gone(module + "." + std::string(alias->name.text()));
         });
}

// Metrics were called `acc` before Keras 2.3, whatever the program called them.
struct Signs {
  bool names_old_metric = false; // history["val_acc"], monitor="val_acc"
  bool asks_for_it = false;      // metrics=["acc"]
  bool is_old = false;
};

bool is_text(const Source &source, const Node *node, std::string_view text) {
  const auto *constant = as_string(node);
  return constant != nullptr && string_value(source, *constant) == text;
}

void look_at(const Source &source, const Node *node, Signs &signs) {
  if (const auto *call = as<Call>(node)) {
    for (const Keyword *keyword : call->keywords) {
      if (!keyword->name) {
        continue;
      }
      signs.is_old = signs.is_old || is_sure_sign(keyword->name.text());
      if (const auto *list = as<List>(keyword->value); list != nullptr && keyword->name.text() == "metrics") {
        signs.asks_for_it = signs.asks_for_it || std::ranges::any_of(list->elts, [&](const Expr *name) {
                              return is_text(source, name, "acc");
                            });
      }
      signs.names_old_metric =
          signs.names_old_metric || (keyword->name.text() == "monitor" && is_text(source, keyword->value, "val_acc"));
    }
  } else if (const auto *item = as<Subscript>(node)) {
    signs.names_old_metric =
        signs.names_old_metric || is_text(source, item->slice, "acc") || is_text(source, item->slice, "val_acc");
  } else {
    signs.is_old = signs.is_old || imports_gone(node);
  }
}

// Something only programs for old versions write.
bool has_old_sign(const model::ParsedFile &file) {
  Signs signs;
  std::vector<const Node *> open(file.tree.body.begin(), file.tree.body.end());
  while (!open.empty() && !signs.is_old) {
    const Node *const node = open.back();
    open.pop_back();
    look_at(file.source, node, signs);
    for_each_child(node, [&](const Node *child) {
      if (child != nullptr) {
        open.push_back(child);
      }
    });
  }
  return signs.is_old || (signs.names_old_metric && !signs.asks_for_it);
}

bool is_below(const project::Requirements &requirements, std::string_view package, project::Version version) {
  const auto found = requirements.find(package);
  return found != requirements.end() && found->second.below && *found->second.below <= version;
}

} // namespace

bool keras_is_strict(const Interpreter &in) {
  const model::Module *const module = in.module();
  if (module == nullptr || module->parsed == nullptr) {
    return false;
  }
  // Only TensorFlow up to 2.1 runs on Python 2.
  if (module->parsed->tree.is_python2) {
    return true;
  }
  const bool goes_through_v1 = module->parsed->source.text().find("compat") != std::string_view::npos;
  if (module->v1 && !module->v2 && !goes_through_v1) {
    return true;
  }
  // Code that asks which version there is, or that tries an import, runs with others as well.
  const std::string_view text = module->parsed->source.text();
  if (text.find("__version__") == std::string_view::npos && text.find("ImportError") == std::string_view::npos &&
      has_old_sign(*module->parsed)) {
    return true;
  }
  const project::Requirements &requirements = project::requirements_of(module->parsed->path);
  return is_below(requirements, "tensorflow", {2, 2, 0}) || is_below(requirements, "keras", {2, 4, 0});
}

void keras_modernize(Interpreter &in, Symbol api, Arguments &arguments) {
  const std::string_view name = api.text();
  const std::string_view layer = name.substr(name.rfind('.') + 1);
  if (layer == "Model") {
    for (auto &[keyword, value] : arguments.keywords) {
      keyword = keyword.text() == "input" ? intern("inputs") : keyword.text() == "output" ? intern("outputs") : keyword;
    }
    return;
  }
  bool is_old = false;
  Value rows(Tag::Undefined);
  Value columns(Tag::Undefined);
  for (auto &[keyword, value] : arguments.keywords) {
    const std::string_view text = keyword.text();
    is_old = is_old || is_sure_sign(text);
    if (text == "nb_row" || text == "nb_col") {
      (text == "nb_row" ? rows : columns) = value;
    } else if (text == "output_dim" && layer != "Embedding") {
      keyword = intern("units");
    } else if (const auto *const known = std::ranges::find(kOldNames, text, &OldName::old_name);
               known != std::end(kOldNames)) {
      keyword = intern(known->name);
    }
    if (text == "dim_ordering" && value.is(Tag::Str) && value.number != 0) {
      value = value.text() == "th"   ? Value::of_text(intern("channels_first"))
              : value.text() == "tf" ? Value::of_text(intern("channels_last"))
                                     : Value::none(); // default
    }
  }
  std::erase_if(arguments.keywords, [](const auto &keyword) {
    return keyword.first.text() == "nb_row" || keyword.first.text() == "nb_col";
  });
  if (!rows.is(Tag::Undefined) && !columns.is(Tag::Undefined)) {
    arguments.keywords.emplace_back(intern("kernel_size"), in.heap.new_list({rows, columns}, Tag::Tuple));
    return;
  }
  // Convolution2D(32, 3, 3): rows and columns of the kernel
  const bool is_plane = layer == "Conv2D" || layer == "Convolution2D";
  if (is_plane && arguments.positional.size() >= 3 && arguments.positional[1].is(Tag::Int) &&
      arguments.positional[2].is(Tag::Int) && (is_old || keras_is_strict(in))) {
    const Value kernel = in.heap.new_list({arguments.positional[1], arguments.positional[2]}, Tag::Tuple);
    arguments.positional.erase(arguments.positional.begin() + 2);
    arguments.positional[1] = kernel;
  }
}

} // namespace deepperf::shapes
