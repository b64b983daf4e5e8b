#include "model/definitions.h"
#include "model/variance.h"
#include "python/children.h"
#include "rules/dependencies.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/repetition.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules::session_in_loop {

using namespace python;

namespace {

// Is the session made for one use? Not where an inner loop runs it again and again.
struct InnerRuns {
  bool found = false;
};

bool runs_in_inner_loop(const Site &site, const model::Loop *outer) {
  const Node *const within = outer != nullptr ? outer->node : site.function->node;
  const auto find = [&] {
    const auto runs = [outer](const model::Loop *loop) {
      return loop->runs_session && !loop->few_iterations && loop != outer;
    };
    return InnerRuns{within != nullptr ? std::ranges::any_of(loops_inside(*site.function, *within), runs)
                                       : std::ranges::any_of(site.function->loops, runs)};
  };
  return site.memory.recall<InnerRuns>(outer != nullptr ? static_cast<const void *>(outer) : site.function, find).found;
}

// Waiting for checkpoints, or going through several: each needs its session.
bool restores_or_waits(const Site &site, const Node *node) {
  if (const auto *call = as<Call>(node)) {
    const std::string_view method = called_method(*call);
    if (method == "restore" || method == "import_meta_graph" || method == "sleep" || method == "load") {
      return true;
    }
  }
  bool found = false;
  for_each_child(node, [&](const Node *child) { found = found || restores_or_waits(site, child); });
  return found;
}

// ---- The same model, loaded for each input --------------------------------------------------------------------------

// An attribute that constructors set, and nothing else.
bool is_set_once(const Site &site, Symbol attribute) {
  const auto &stores = model::definitions_of(site.project).attribute_stores;
  const auto found = stores.find(attribute.id);
  return found != stores.end() && std::ranges::all_of(found->second, [](const model::AttributeStore &store) {
           return store.function != nullptr && store.function->name && store.function->name.text() == "__init__";
         });
}

// Does the expression give the same in every call of the function?
bool is_fixed(const Site &site, const Repetition &repetition, const Expr *expr) {
  if (repetition.loop != nullptr && stays_same(site, repetition, expr)) {
    return true;
  }
  const model::Dependencies on = dependencies_of(site, *site.function, expr);
  return on.params == 0 && !on.varies &&
         std::ranges::all_of(on.attributes, [&](Symbol attribute) { return is_set_once(site, attribute); });
}

bool loads_graph(const model::FunctionInfo &function) {
  return has_word(rules::text_of(function), {"import_graph_def(", "import_meta_graph("});
}

// The call that loads the model, if the function loads one and takes it from the same files each time.
const Call *loads_same_model(const Site &site, const Repetition &repetition) {
  const FunctionDef *definition = site.function->definition();
  const Call *found = nullptr;
  bool is_other = definition == nullptr;
  bool imports = false;
  any_node(is_other ? Block{} : definition->body, [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr) {
      return false;
    }
    const std::string_view name = called_name(*call);
    const model::FunctionInfo *callee = called_function(site, *call);
    const auto look_at = [&](const Expr *path) {
      is_other |= path == nullptr || !is_fixed(site, repetition, path);
      found = found == nullptr ? call : found;
    };
    imports |= name == "import_meta_graph" || name == "import_graph_def" || (callee != nullptr && loads_graph(*callee));
    if (name == "import_meta_graph") {
      look_at(argument(*call, 0, "meta_graph_or_file"));
    } else if (name == "restore" && call->args.size() == 2) {
      look_at(call->args[1]);
    } else if (name == "GFile" || name == "FastGFile") {
      look_at(argument(*call, 0, "name"));
    } else if (callee != nullptr && loads_graph(*callee)) {
      std::ranges::for_each(call->args, look_at);
    }
    return is_other;
  });
  return is_other || !imports ? nullptr : found; // weights alone may have changed since
}

bool is_called_by_handler(const Site &site) {
  return in_request_handler(site) || std::ranges::any_of(site.function->called_by, [&](const model::CallSite *caller) {
           return !caller->once && !caller->behind_guard && is_request_handler(site.project, *caller->caller);
         });
}

bool check_loaded(Site &site, const Call &call) {
  if (site.function->definition() == nullptr || site.function->name.text() == "__init__" ||
      loop_around(site) != nullptr || enclosing(site, NodeKind::If) != nullptr || site.module->is_test ||
      runs_in_inner_loop(site, nullptr) || function_has_word(site, {"global ", "minimize(", "train_op"})) {
    return false;
  }
  const Repetition repetition = repetition_of(site);
  const bool answers = repetition.loop == nullptr && is_called_by_handler(site);
  const Call *load = repetition.loop != nullptr || answers ? loads_same_model(site, repetition) : nullptr;
  if (load == nullptr) {
    return false;
  }
  Finding &finding =
      report(site, call,
             answers ? "the same model is loaded into a new session for every request"
                     : "the same model is loaded into a new session in every call of this function, which a loop calls",
             "load the graph and create the session once, and use both for all inputs");
  add_note(finding, site, *load, "loaded here");
  if (repetition.loop != nullptr) {
    add_note(finding, site, repetition);
  }
  return true;
}

// A graph, session and checkpoint for every request, also where the object keeps them: the next request replaces them.
bool check_every_request(Site &site, const Call &call) {
  const model::CallSite *caller = nullptr;
  if (site.module->is_test || loop_around(site) != nullptr || !runs_in_every_request(site, &caller)) {
    return false;
  }
  const auto is_fixed_path = [&](const Node *node) {
    const auto *restores = as<Call>(node);
    return restores == nullptr || called_method(*restores) != "restore" || restores->args.size() != 2 ||
           is_fixed(site, {}, restores->args[1]) || setting_of(site, restores->args[1]).has_value();
  };
  const FunctionDef *const definition = site.function->definition();
  if (definition == nullptr || any_node(definition->body, [&](const Node *node) { return !is_fixed_path(node); })) {
    return false; // each request has a model of its own
  }
  Finding &finding =
      report(site, call, "a session is created for every request, so TensorFlow prepares the graph again each time",
             "create one session when the server starts and use it for all requests");
  if (caller != nullptr) {
    finding.notes.push_back({caller->caller->module->file, caller->call->span(), "every request runs this"});
  }
  return true;
}

void check(Site &site, const Call &call) {
  const Node *parent = site.ancestors.empty() ? nullptr : site.ancestors.back();
  if (parent == nullptr || site.function == nullptr || parent->kind == NodeKind::Return || is_traced(site)) {
    return;
  }
  if (const auto *assignment = as<Assign>(parent);
      assignment != nullptr && as<Name>(assignment->targets[0]) == nullptr) {
    check_every_request(site, call); // else it is kept in an attribute
    return;
  }
  if (check_loaded(site, call) || (in_request_handler(site) && check_every_request(site, call))) {
    return;
  }
  const model::Loop *loop = long_loop_around(site);
  const bool answers = loop == nullptr && in_request_handler(site);
  if (loop == nullptr && !answers &&
      (!site.function->in_loop || site.function->definition() == nullptr || site.function->name.text() == "__init__")) {
    return;
  }
  const bool new_graph = loop != nullptr ? loop->new_graph : site.function->new_graph;
  if (new_graph || runs_in_inner_loop(site, loop) || enclosing(site, NodeKind::If) != nullptr) {
    return;
  }
  const Expr *graph = argument(call, 1, "graph");
  if (loop != nullptr && graph != nullptr && model::varies(site.project, *loop, graph)) {
    return;
  }
  const Node *within = loop != nullptr ? loop->node : site.function->node;
  if (!answers && restores_or_waits(site, within)) {
    return;
  }
  Finding &finding = report(
      site, call,
      answers           ? "a session is created for every request, so TensorFlow prepares the graph again each time"
      : loop != nullptr ? "a session is created in every iteration, so TensorFlow prepares the graph again each time"
                        : "a session is created in every call of this function, which is called from a loop",
      answers ? "create one session when the server starts and use it for all requests"
              : "create one session before the loop and use it in all iterations");
  if (loop != nullptr) {
    add_note(finding, site, *loop->node, "the loop");
  }
  finding.tier = answers ? finding.tier : Tier::Hint;
}

} // namespace

extern constinit const Rule kSessionInLoop = {
    .info = {.code = "DP202",
             .name = "session-in-loop",
             .summary = "a TensorFlow session that is created repeatedly",
             .root_cause = "Model: Confusion with Computation Graph",
             .symptoms = "Slow Execution Time, Memory Leak, Increasing Time Over Time",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Warning,
             .tier = Tier::On,
             .posts = "50282801",
             .documentation = R"(## What it finds

`tf.Session()` or `tf.InteractiveSession()` in a loop, or in a function that is called from one, where each session is used for one run and
the graph stays the same: a hint. A session that is created for every request of a server is a finding, and so is a function that loads the same
model into a new session in every call.

## Why it costs

At its first run a session prepares the graph for the devices: it prunes, optimizes and partitions the graph, and allocates memory. All of
that is lost with the session. Variables have to be initialized or loaded again.

## Bad

```python
import tensorflow as tf

for image in images:
    with tf.Session() as sess:
        result = sess.run(output, feed_dict={placeholder: image})
```

## Good

```python
import tensorflow as tf

with tf.Session() as sess:
    for image in images:
        result = sess.run(output, feed_dict={placeholder: image})
```

## When it is wrong

Loops that create a new graph in every iteration, restore a checkpoint or wait for one need a session each and are not reported, and neither
are those that train in an inner loop.

## References

- DLPerf, root cause "Confusion with Computation Graph"; Stack Overflow 50282801, from the study
)"},
    .calls = "tensorflow.Session tensorflow.InteractiveSession",
    .on_call = check};

} // namespace deepperf::rules::session_in_loop
