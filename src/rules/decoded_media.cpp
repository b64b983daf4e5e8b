#include "rules/decoded_media.h"

#include "rules/tree.h"

namespace deepperf::rules {

using namespace python;

const Call *decoding_call(const model::Project &project, const model::FunctionInfo &function, u32 depth) {
  constexpr u32 kMostDepth = 3;
  const Call *found = nullptr;
  const auto look = [&](const Node *node) {
    const auto *call = as<Call>(node);
    if (call == nullptr || found != nullptr) {
      return found != nullptr;
    }
    const model::Value callee = project.callee_of(call);
    if (callee.is(model::Value::Tag::Api)) {
      const std::string_view api = callee.name().text();
      const std::string_view name = api.substr(api.rfind('.') + 1);
      const bool is_media = name == "decode_jpeg" || name == "decode_png" || name == "decode_image" ||
                            name == "decode_bmp" || name == "decode_gif" || name == "decode_wav" ||
                            name == "decode_and_crop_jpeg" || name == "load_img";
      found = api.starts_with("tensorflow.") && is_media ? call : nullptr;
    } else if (depth < kMostDepth && (callee.is(model::Value::Tag::Function) || callee.is(model::Value::Tag::Method))) {
      found = decoding_call(project, *callee.function, depth + 1) != nullptr ? call : nullptr;
    }
    return found != nullptr;
  };
  if (const FunctionDef *definition = function.definition()) {
    any_node(definition->body, look);
  } else if (const Lambda *lambda = function.lambda()) {
    any_node(static_cast<const Node *>(lambda->body), look);
  }
  return found;
}

} // namespace deepperf::rules
