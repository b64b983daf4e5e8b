#include "server/message.h"

#include "base/json.h"

namespace deepperf::server {

namespace {

const Json kNull;

// The four hexadecimal digits of an escape such as \ud83d, or nothing.
std::optional<unsigned> escape_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') {
    return std::nullopt;
  }
  unsigned value = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const char digit = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<unsigned>(c - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value = value * 16 + static_cast<unsigned>(digit - 'a') + 10;
    } else {
      return std::nullopt;
    }
  }
  return value;
}

bool is_first_half(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_second_half(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::string without_lone_surrogates(std::string_view text) {
  std::string result(text);
  for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at)) {
    const std::optional<unsigned> unit = escape_at(text, at);
    if (!unit) {
      at += 2;
      continue;
    }
    const std::optional<unsigned> behind = is_first_half(*unit) ? escape_at(text, at + 6) : std::nullopt;
    if (behind && is_second_half(*behind)) {
      at += 12;
      continue;
    }
    if (is_first_half(*unit) || is_second_half(*unit)) {
      result.replace(at, 6, "\\ufffd");
    }
    at += 6;
  }
  return result;
}

// What is parsed is copied and printed by functions that call themselves, so that a message that nests without end
// would end the program. No message of the protocol comes near.
bool is_too_deep(std::string_view text) {
  constexpr int kDeepest = 200;
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      at += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

} // namespace

std::optional<Json> parse_message(std::string_view text) {
  if (is_too_deep(text)) {
    return std::nullopt;
  }
  Json message = parse_json<Json>(text);
  if (message.is_discarded()) {
    message = parse_json<Json>(without_lone_surrogates(text));
  }
  return message.is_discarded() ? std::nullopt : std::optional<Json>(std::move(message));
}

Json answer(const Json &id, Json result) { return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}; }

Json error_answer(const Json &id, ErrorCode code, std::string_view message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}};
}

Json notification(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

const Json &member(const Json &object, std::string_view name) {
  if (!object.is_object()) {
    return kNull;
  }
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

const Json &member(const Json &object, std::initializer_list<std::string_view> names) {
  const Json *at = &object;
  for (const std::string_view name : names) {
    at = &member(*at, name);
  }
  return *at;
}

bool is_true(const Json &value) { return value.is_boolean() && value.get<bool>(); }

} // namespace deepperf::server
