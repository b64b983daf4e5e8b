// Functions that answer requests, whatever server or platform calls them.
#include "base/name_table.h"
#include "model/definitions.h"
#include "rules/per_step.h"
#include "rules/reach.h"
#include "rules/tree.h"

#include <algorithm>

namespace deepperf::rules {

using namespace python;
using model::FunctionInfo;
using model::Value;

namespace {

std::string_view api_of(const Value &value) {
  return value.is(Value::Tag::Api) ? value.name().text() : std::string_view{};
}

// ---- Routes and tasks -----------------------------------------------------------------------------------------------

// `@app.post("/predict")`, `@celery.task`, `@shared_task`
bool is_routed(const model::Project &project, const FunctionInfo &function) {
  static const NameTable kRoutes(
      {"route", "get", "post", "put", "patch", "api_route", "websocket", "task", "event", "command", "message"});
  return std::ranges::any_of(function.definition()->decorators, [&](const Expr *decorator) {
    const auto *call = as<Call>(decorator);
    const Expr *const named = call != nullptr ? call->func : decorator;
    const model::Scope scope = model::scope_of(project, *function.parent);
    const auto *method = as<Attribute>(named);
    if (method == nullptr) {
      return named->kind == NodeKind::Name && api_of(model::value_of(scope, named)) == "celery.shared_task";
    }
    if (!kRoutes.has(method->attr) ||
        (call == nullptr && method->attr.text() != "task" && method->attr.text() != "event")) {
      return false;
    }
    const auto made = model::written_as(scope, method->value);
    return !made.empty() && std::ranges::all_of(made, [&project](const model::Argument::Given &given) {
      const auto *maker = as<Call>(given.expr);
      const std::string_view api = maker != nullptr ? api_of(project.callee_of(maker)) : std::string_view{};
      return api.starts_with("flask.") || api.starts_with("fastapi.") || api.starts_with("sanic.") ||
             api.starts_with("quart.") || api.starts_with("starlette.") || api.starts_with("celery.") ||
             api.starts_with("aiohttp.") || api.starts_with("discord.") || api.starts_with("aiogram.");
    });
  });
}

// `post` of an APIView, `handle` of a TorchServe handler
bool is_view(const FunctionInfo &function) {
  static const NameTable kMethods({"get", "post", "put"});
  static const NameTable kSteps({"handle", "inference", "predict"});
  static const NameTable kPlain({"do_GET", "do_POST"});
  if (function.type == nullptr ||
      (!kMethods.has(function.name) && !kSteps.has(function.name) && !kPlain.has(function.name))) {
    return false;
  }
  const bool is_step = kSteps.has(function.name);
  return std::ranges::any_of(function.type->mro, [is_step](const model::ClassInfo *at) {
    return std::ranges::any_of(at->bases, [is_step](const Value &base) {
      const std::string_view api = api_of(base);
      return is_step ? api == "litserve.LitAPI" || (api.starts_with("ts.") && api.ends_with("Handler"))
                     : api.ends_with(".APIView") || api.ends_with(".MethodView") || api == "flask_restful.Resource" ||
                           api == "flask_restx.Resource" || api == "django.views.View" ||
                           api == "http.server.BaseHTTPRequestHandler" || api == "tornado.web.RequestHandler";
    });
  });
}

// AWS calls `lambda_handler(event, context)`, whatever its file is called; RunPod `handler(job)`.
bool is_cloud_function(const FunctionInfo &function) {
  if (function.type != nullptr || function.parent->node != nullptr) {
    return false;
  }
  const std::string_view name = function.name.text();
  const bool has_event = function.params.size() == 2 && function.params[0]->name &&
                         function.params[0]->name.text() == "event" && function.params[1]->name &&
                         function.params[1]->name.text() == "context";
  return ((name == "lambda_handler" || name == "handler") && has_event) ||
         (name == "handler" && function.passed &&
          has_word(function.module->parsed->source.text(), {"runpod.serverless"}));
}

bool means(const Expr *expr, const FunctionInfo &function) {
  const auto *name = as<Name>(expr);
  const auto *attribute = as<Attribute>(expr);
  const Symbol called = name != nullptr ? name->id : attribute != nullptr ? attribute->attr : Symbol{};
  return called && called == function.name;
}

// `app.router.add_post("/answer", answer)`, `app.add_url_rule("/answer", view_func=answer)`
bool is_registered(const FunctionInfo &function) {
  static const NameTable kAdding({"add_post", "add_get", "add_put", "add_route", "add_url_rule", "add_api_route"});
  if (function.type != nullptr ||
      !has_word(function.module->parsed->source.text(), {"aiohttp", "flask", "fastapi", "starlette", "sanic"})) {
    return false;
  }
  return std::ranges::any_of(function.module->parsed->tree.body, [&function](const Stmt *statement) {
    return any_node_inside(static_cast<const Node *>(statement), [&function](const Node *node) {
      const auto *call = as<Call>(node);
      const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
      return method != nullptr && kAdding.has(method->attr) &&
             (std::ranges::any_of(call->args, [&](const Expr *given) { return means(given, function); }) ||
              std::ranges::any_of(call->keywords, [&](const Keyword *given) { return means(given->value, function); }));
    });
  });
}

// `gr.Interface(fn=answer, …)`, `button.click(answer, …)`
bool is_gradio_callback(const FunctionInfo &function) {
  static const NameTable kEvents({"click", "submit", "change", "upload", "Interface", "ChatInterface", "input"});
  if (!function.passed || function.type != nullptr ||
      !has_word(function.module->parsed->source.text(), {"import gradio", "from gradio"})) {
    return false;
  }
  return std::ranges::any_of(function.module->parsed->tree.body, [&function](const Stmt *statement) {
    return any_node_inside(static_cast<const Node *>(statement), [&function](const Node *node) {
      const auto *call = as<Call>(node);
      const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
      const Expr *const given = method != nullptr && kEvents.has(method->attr) ? argument(*call, 0, "fn") : nullptr;
      return given != nullptr && means(given, function);
    });
  });
}

// ---- Dependencies of FastAPI ----------------------------------------------------------------------------------------

// `Depends(get_model)`, which FastAPI calls for every request. Of a class it is the constructor.
bool is_dependency(const model::Project &project, const FunctionInfo &user, const Node *node,
                   const FunctionInfo &function) {
  const auto *call = as<Call>(node);
  if (call == nullptr || call->args.size() != 1) {
    return false;
  }
  const model::Scope scope = model::scope_of(project, *user.parent);
  if (api_of(model::value_of(scope, call->func)) != "fastapi.Depends") {
    return false;
  }
  const Value given = model::value_of(scope, call->args[0]);
  return given.is(Value::Tag::Class)
             ? given.type == function.type && function.name.text() == "__init__"
             : (given.is(Value::Tag::Function) || given.is(Value::Tag::Method)) && given.function == &function;
}

bool is_handler(const model::Project &project, const FunctionInfo &function, u32 depth);

bool is_depended_on(const model::Project &project, const FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDependencies = 3;
  if (depth == kMostDependencies || (!function.passed && function.name.text() != "__init__")) {
    return false;
  }
  return std::ranges::any_of(project.modules, [&](const model::Module &module) {
    return has_word(module.parsed->source.text(), {"Depends("}) &&
           std::ranges::any_of(project.functions, [&](const FunctionInfo &user) {
             return user.module == &module && user.parent != nullptr && user.definition() != nullptr &&
                    std::ranges::any_of(user.params,
                                        [&](const Param *param) {
                                          const auto depends = [&](const Node *node) {
                                            return is_dependency(project, user, node, function);
                                          };
                                          return (param->default_value != nullptr && depends(param->default_value)) ||
                                                 (param->annotation != nullptr && any_node(param->annotation, depends));
                                        }) &&
                    is_handler(project, user, depth + 1);
           });
  });
}

bool is_handler(const model::Project &project, const FunctionInfo &function, u32 depth) {
  if (function.definition() == nullptr || function.parent == nullptr) {
    return false;
  }
  return is_routed(project, function) || is_view(function) || is_cloud_function(function) ||
         is_gradio_callback(function) || is_registered(function) || is_depended_on(project, function, depth);
}

} // namespace

bool is_request_handler(const model::Project &project, const FunctionInfo &function) {
  return is_handler(project, function, 0);
}

namespace {

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth);

// `await asyncio.to_thread(answer, question)`: a handler has another thread run the function.
bool is_run_in_thread(const model::Project &project, const FunctionInfo &function, u32 depth) {
  static const NameTable kRunning({"to_thread", "run_in_executor", "run_in_threadpool", "run_sync"});
  const auto hands_over = [&function](const Node *node) {
    const auto *call = as<Call>(node);
    const auto *method = call != nullptr ? as<Attribute>(call->func) : nullptr;
    const auto *name = call != nullptr ? as<Name>(call->func) : nullptr;
    const Symbol called = method != nullptr ? method->attr : name != nullptr ? name->id : Symbol{};
    return called && kRunning.has(called) && std::ranges::any_of(call->args, [&function](const Expr *given) {
             const auto *plain = as<Name>(given);
             const auto *attribute = as<Attribute>(given);
             return (plain != nullptr && plain->id == function.name) ||
                    (attribute != nullptr && attribute->attr == function.name);
           });
  };
  return std::ranges::any_of(project.functions, [&](const FunctionInfo &other) {
    const FunctionDef *const definition = other.module == function.module ? other.definition() : nullptr;
    return definition != nullptr && definition->is_async && any_node(definition->body, hands_over) &&
           serves_requests(project, &other, depth + 1);
  });
}

bool serves_requests(const model::Project &project, const FunctionInfo *function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  for (const FunctionInfo *one = function; one != nullptr; one = one->parent) {
    if (is_request_handler(project, *one)) {
      return true;
    }
  }
  if (function != nullptr && function->definition() != nullptr && function->called_by.empty() && function->passed &&
      depth < kMostDepth) {
    return is_run_in_thread(project, *function, depth);
  }
  // A helper that nobody but handlers calls.
  return function != nullptr && function->definition() != nullptr && depth < kMostDepth &&
         !function->called_by.empty() && std::ranges::all_of(function->called_by, [&](const model::CallSite *caller) {
           return serves_requests(project, caller->caller, depth + 1);
         });
}

} // namespace

bool runs_per_request(const model::Project &project, const FunctionInfo &function) {
  return serves_requests(project, &function, 0);
}

bool in_request_handler(const Site &site) { return serves_requests(site.project, site.function, 0); }

} // namespace deepperf::rules
