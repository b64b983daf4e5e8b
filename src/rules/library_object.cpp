#include "rules/library_object.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace deepperf::rules {

using model::Value;

std::string_view object_name(const Value &value) {
  if (!value.is(Value::Tag::Instance)) {
    return {};
  }
  if (value.kind != Kind::LibraryObject) {
    return name_of(value.kind);
  }
  // The longer of two that begin alike comes first.
  static constexpr auto kMakers = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"gym.", "GymEnv"},
      {"gymnasium.", "GymEnv"},
      {"PIL.ImageFont.", "PilFont"},
      {"PIL.ImageDraw.", "PilDraw"},
      {"networkx.", "NetworkxGraph"},
      {"gensim.models.KeyedVectors", "WordVectors"},
      {"gensim.models.keyedvectors", "WordVectors"},
      {"gensim.models.", "WordModel"},
      {"sklearn.", "Vectorizer"},
      {"xgboost.", "XgbModel"},
      {"lightgbm.", "LightGbmModel"},
  });
  const std::string_view maker = value.name() ? value.name().text() : std::string_view{};
  for (const auto &[prefix, name] : kMakers) {
    if (maker.starts_with(prefix)) {
      return name;
    }
  }
  return {};
}

std::string called_name(const Site &site, const python::Call &call) {
  const Value callee = site.project.callee_of(&call);
  if (callee.is(Value::Tag::ApiMethod)) {
    const std::string_view object =
        callee.kind == Kind::LibraryObject ? object_name(callee.receiver()) : name_of(callee.kind);
    return object.empty() ? std::string{} : fmt::format("{}.{}", object, callee.name().text());
  }
  constexpr std::string_view kCore = "librosa.core.";
  const std::string_view api = called_api(site, call);
  return api.starts_with(kCore) ? "librosa." + std::string(api.substr(kCore.size())) : std::string(api);
}

} // namespace deepperf::rules
