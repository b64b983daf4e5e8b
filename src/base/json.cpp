#include "base/json.h"

#include <nlohmann/json.hpp>

namespace deepperf {

template <class Json> Json parse_json(std::string_view text, std::size_t *wrong_at) {
  if (wrong_at == nullptr) {
    return Json::parse(text, nullptr, false);
  }
  try {
    return Json::parse(text);
  } catch (const typename Json::parse_error &error) {
    *wrong_at = error.byte;
    return Json(Json::value_t::discarded);
  }
}

template <class Json> std::string json_text(const Json &json, int indent, bool only_ascii) {
  return json.dump(indent, ' ', only_ascii, Json::error_handler_t::replace);
}

template nlohmann::json parse_json(std::string_view, std::size_t *);
template nlohmann::ordered_json parse_json(std::string_view, std::size_t *);
template std::string json_text(const nlohmann::json &, int, bool);
template std::string json_text(const nlohmann::ordered_json &, int, bool);

} // namespace deepperf
