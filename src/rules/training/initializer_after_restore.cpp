#include "rules/site.h"
#include "rules/tree.h"

#include <algorithm>
#include <vector>

namespace deepperf::rules::initializer_after_restore {

using namespace python;

namespace {

// tf.global_variables_initializer(), under a name, in a list or in tf.group(…).
bool initializes_all(const Site &site, const model::Scope &scope, const Expr *expr, u32 depth = 0) {
  constexpr u32 kMostDepth = 4;
  if (depth > kMostDepth) {
    return false;
  }
  const auto any = [&](const Array<Expr *> &parts) {
    return std::ranges::any_of(parts, [&](const Expr *part) { return initializes_all(site, scope, part, depth + 1); });
  };
  if (const auto *list = as<List>(expr)) {
    return any(list->elts);
  }
  if (const auto *tuple = as<Tuple>(expr)) {
    return any(tuple->elts);
  }
  if (const auto *call = as<Call>(expr)) {
    const std::string_view api = called_api(site, *call);
    return api == "tensorflow.global_variables_initializer" || api == "tensorflow.initialize_all_variables" ||
           api == "tensorflow.initializers.global_variables" || (api == "tensorflow.group" && any(call->args));
  }
  if (expr->kind != NodeKind::Name && expr->kind != NodeKind::Attribute) {
    return false;
  }
  const std::vector<model::Argument::Given> made = model::written_as(scope, expr);
  return !made.empty() && std::ranges::all_of(made, [&](const model::Argument::Given &given) {
    return initializes_all(site, given.scope, given.expr, depth + 1);
  });
}

// The call of a statement that only calls.
const Call *call_of(const Stmt *statement) {
  const auto *plain = as<ExprStmt>(statement);
  return plain != nullptr ? as<Call>(plain->value) : nullptr;
}

bool is_restore(const Node *node) {
  const auto *call = as<Call>(node);
  return call != nullptr && called_method(*call) == "restore";
}

// What the blocks of a statement run after one of their statements; nothing of what is not there.
Block block_with(const Node *parent, const Node *statement) {
  const auto has = [statement](const Block &block) {
    return std::ranges::any_of(block, [statement](const Stmt *one) { return one == statement; });
  };
  const auto choose = [&](std::initializer_list<const Block *> blocks) {
    for (const Block *block : blocks) {
      if (has(*block)) {
        return *block;
      }
    }
    return Block{};
  };
  switch (parent->kind) {
  case NodeKind::If:
    return choose({&static_cast<const If *>(parent)->body, &static_cast<const If *>(parent)->orelse});
  case NodeKind::With:
    return choose({&static_cast<const With *>(parent)->body});
  case NodeKind::Try:
    return choose({&static_cast<const Try *>(parent)->body, &static_cast<const Try *>(parent)->orelse});
  case NodeKind::FunctionDef:
    return choose({&static_cast<const FunctionDef *>(parent)->body});
  default:
    return {};
  }
}

void check(Site &site, const Call &restore) {
  if (!site.module->tensorflow || restore.args.size() != 2 || called_method(restore) != "restore") {
    return;
  }
  const std::string_view session = text_of(site, restore.args[0]);
  const Node *inner = &restore;
  for (auto at = site.ancestors.rbegin();; ++at) {
    const bool is_module = at == site.ancestors.rend();
    const Node *parent = is_module ? nullptr : *at;
    if (parent != nullptr && (parent->kind == NodeKind::ExprStmt || parent->kind == NodeKind::Assign)) {
      inner = parent;
      continue;
    }
    const Block block = is_module ? site.module->parsed->tree.body : block_with(parent, inner);
    if (block.empty()) {
      return; // a loop, a handler, or a part of something else
    }
    bool is_behind = false;
    for (const Stmt *statement : block) {
      if (statement == inner) {
        is_behind = true;
        continue;
      }
      if (!is_behind) {
        continue;
      }
      if (statement->kind == NodeKind::Return || statement->kind == NodeKind::Raise ||
          statement->kind == NodeKind::Continue || any_node(statement, is_restore)) {
        return; // it comes no further, or restores again
      }
      const Call *run = call_of(statement);
      const Expr *receiver = run != nullptr && called_method(*run) == "run" ? receiver_of(*run) : nullptr;
      if (receiver == nullptr || run->args.empty() || text_of(site, receiver) != session ||
          !initializes_all(site, scope_of(site), run->args[0])) {
        continue;
      }
      const bool restores_again = std::any_of(block.begin(), block.end(), [&](const Stmt *later) {
        return later->start > statement->start && any_node(later, is_restore);
      });
      if (!restores_again) {
        Finding &finding =
            report(site, *run, "this overwrites the variables that were just restored with their initial values",
                   "run the initializer before `restore()`, or only if nothing is restored");
        add_note(finding, site, restore, "restored here");
      }
      return;
    }
    if (is_module || parent->kind == NodeKind::FunctionDef) {
      return;
    }
    inner = parent;
  }
}

} // namespace

extern constinit const Rule kInitializerAfterRestore = {
    .info = {.code = "DP855",
             .name = "initializer-after-restore",
             .summary = "variables that are initialized after they were restored",
             .root_cause = "Training: Wrong Training Step",
             .symptoms = "Wrong Result",
             .stage = "Training",
             .frameworks = "TensorFlow",
             .severity = Severity::Error,
             .tier = Tier::On,
             .documentation = R"(## What it finds

`sess.run(tf.global_variables_initializer())` that follows `saver.restore(sess, …)` of the same session, with no other `restore` after it.

## Why it is wrong

The initializer assigns every variable, so the values from the checkpoint are lost: training starts from scratch, or inference runs with
random weights, without any error.

## Bad

```python
import tensorflow as tf

saver = tf.train.Saver()
with tf.Session() as sess:
    saver.restore(sess, "model.ckpt")
    sess.run(tf.global_variables_initializer())
```

## Good

```python
import tensorflow as tf

saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    saver.restore(sess, "model.ckpt")
```

## When it is wrong

No such case is known.

## References

- TensorFlow 1 guide "Save and restore"
)"},
    .calls = "*.restore",
    .on_call = check};

} // namespace deepperf::rules::initializer_after_restore
