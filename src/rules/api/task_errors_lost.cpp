#include "rules/assignments.h"
#include "rules/origins.h"
#include "rules/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace deepperf::rules::task_errors_lost {

using namespace python;

namespace {

bool is_pool_api(std::string_view api) {
  return api == "multiprocessing.Pool" || api == "torch.multiprocessing.Pool" || api == "multiprocessing.pool.Pool" ||
         api == "multiprocessing.pool.ThreadPool" || api == "multiprocessing.dummy.Pool" ||
         api == "concurrent.futures.ThreadPoolExecutor" || api == "concurrent.futures.ProcessPoolExecutor" ||
         api == "multiprocess.Pool";
}

// The `with` that makes the pool under that name; null if there is none around the place.
const With *with_of(const Site &site, const Name &pool) {
  for (std::size_t i = site.ancestors.size(); i-- > 0;) {
    const auto *with = as<With>(site.ancestors[i]);
    const bool binds =
        with != nullptr && std::ranges::any_of(with->items, [&](const WithItem &item) {
          const auto *name = as<Name>(item.optional_vars);
          const auto *made = as<Call>(item.context_expr);
          return name != nullptr && made != nullptr && name->id == pool.id && is_pool_api(called_api(site, *made));
        });
    if (binds) {
      return with;
    }
  }
  return nullptr;
}

bool is_made_pool(const Site &site, const Expr *pool, bool *has_threads) {
  const auto written = model::written_as(scope_of(site), pool);
  return !written.empty() && std::ranges::all_of(written, [&](const model::Argument::Given &given) {
    const auto *made = as<Call>(given.expr);
    if (made == nullptr || given.scope.function == nullptr) {
      return false;
    }
    const std::string_view api = called_api(site_of_origin(site, *given.scope.function), *made);
    *has_threads |= api.find("Thread") != std::string_view::npos || api == "multiprocessing.dummy.Pool";
    return is_pool_api(api);
  });
}

// A function that catches errors reports them in its own way.
bool catches_errors(const Site &site, const Call &call) {
  const Expr *task = argument(call, 0, "func");
  task = task == nullptr ? argument(call, 0, "fn") : task;
  const model::Value value = task != nullptr ? value_of(site, task) : model::Value{};
  if (!value.is(model::Value::Tag::Function) && !value.is(model::Value::Tag::Method)) {
    return true; // who knows what it does
  }
  const FunctionDef *definition = value.function->definition();
  return definition == nullptr ||
         any_node(definition->body, [](const Node *node) { return node->kind == NodeKind::Try; });
}

bool calls_method(const Block &block, std::initializer_list<std::string_view> methods) {
  return any_node(block, [&](const Node *node) {
    const auto *call = as<Call>(node);
    return call != nullptr && std::ranges::find(methods, called_method(*call)) != methods.end();
  });
}

// Are the results kept in a list that nothing reads: `results = [pool.apply_async(…) for …]`, `results.append(…)`?
const Name *unread_list(const Site &site) {
  const Stmt *statement = statement_around(site);
  const Name *list = nullptr;
  if (const auto *assignment = as<Assign>(statement)) {
    const bool is_list = assignment->value->kind == NodeKind::ListComp && assignment->targets.size() == 1 &&
                         !site.ancestors.empty() && site.ancestors.back() == assignment->value;
    list = is_list ? as<Name>(assignment->targets[0]) : nullptr;
  } else if (const auto *expression = as<ExprStmt>(statement)) {
    const auto *append = as<Call>(expression->value);
    const bool is_append = append != nullptr && called_method(*append) == "append" && !site.ancestors.empty() &&
                           site.ancestors.back() == append;
    list = is_append ? as<Name>(receiver_of(*append)) : nullptr;
  }
  if (list == nullptr || site.function == nullptr || site.function->node == nullptr) {
    return nullptr;
  }
  const bool is_read = any_node_inside(site.function->node, [&](const Node *node) {
    const auto *name = as<Name>(node);
    return name != nullptr && name->id == list->id && name->context == Context::Load && !contains(statement, name);
  });
  return is_read ? nullptr : list;
}

void check(Site &site, const Call &call) {
  const Expr *pool = receiver_of(call);
  if (pool == nullptr || site.module->is_test || has_hidden_arguments(call) ||
      keyword_argument(call, "error_callback") != nullptr || keyword_argument(call, "callback") != nullptr) {
    return;
  }
  const bool is_statement = !site.ancestors.empty() && site.ancestors.back()->kind == NodeKind::ExprStmt;
  const Name *list = is_statement ? nullptr : unread_list(site);
  if (!is_statement && list == nullptr) {
    return;
  }
  const auto *name = as<Name>(pool);
  const With *with = name != nullptr ? with_of(site, *name) : nullptr;
  bool has_threads = false;
  if (with == nullptr && !is_made_pool(site, pool, &has_threads)) {
    return;
  }
  const bool is_executor = called_method(call) == "submit";
  if (with != nullptr && !is_executor && !calls_method(with->body, {"join", "get", "wait", "result", "sleep"})) {
    Finding &finding =
        report(site, call, "leaving the `with` block terminates the pool, so tasks that have not finished are lost",
               "use `pool.map(…)`, or call `pool.close()` and `pool.join()` inside the block");
    add_note(finding, site, *with->items[0].context_expr, "this pool is terminated at the end of the block");
    return;
  }
  if (catches_errors(site, call)) {
    return;
  }
  Finding &finding =
      report(site, call, "nothing reads the result of this task, so an error in it is lost without a message",
             is_executor ? "keep the futures and call `result()` on each of them"
                         : "keep the results and call `get()` on each of them, or pass `error_callback=`");
  if (is_executor || has_threads) {
    finding.tier = Tier::Hint; // often a picture or a line of a log is written in the background
  }
}

} // namespace

extern constinit const Rule kTaskErrorsLost = {
    .info = {.code = "DP175",
             .name = "task-errors-lost",
             .summary = "tasks of a pool whose errors and results nobody reads",
             .root_cause = "API: Wrong API Usage",
             .symptoms = "Wrong Result",
             .stage = "Data Preparation",
             .frameworks = "PyTorch, TensorFlow, JAX",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`pool.apply_async(…)` whose result is never read, where the function catches no errors itself, and a `with Pool(…)` block that ends before its tasks have
finished. Threads and `executor.submit(…)` are hints.

## Why it is wrong

An exception in a worker is stored in the result of the task, and nothing is printed. If half of the files cannot be preprocessed, the program ends as if all
were, and the model is trained on the rest. At the end of a `with` block a `multiprocessing.Pool` is terminated, with all tasks that are still waiting.

## Bad

```python
from multiprocessing import Pool

import torch


def convert(path):
    torch.save(torch.load(path, weights_only=True).half(), path)


def convert_all(paths):
    pool = Pool(8)
    for path in paths:
        pool.apply_async(convert, (path,))
    pool.close()
    pool.join()
```

## Good

```python
from multiprocessing import Pool

import torch


def convert(path):
    torch.save(torch.load(path, weights_only=True).half(), path)


def convert_all(paths):
    with Pool(8) as pool:
        pool.map(convert, paths)
```

## When it is wrong

Where it does not matter whether the tasks succeed.

## References

- Python documentation: `multiprocessing.pool.AsyncResult`, context management of `Pool`
)"},
    .calls = "*.apply_async *.submit *.map_async *.starmap_async",
    .on_call = check};

} // namespace deepperf::rules::task_errors_lost
