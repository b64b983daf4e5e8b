// Messages of JSON-RPC: how to read one, and the answers that are errors.
#pragma once

#include "server/json.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace deepperf::server {

enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestCancelled = -32800,
};

// What a handler throws to answer a request with an error.
class RequestError : public std::runtime_error {
public:
  RequestError(ErrorCode code, const std::string &message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

private:
  ErrorCode code_;
};

// Nothing if it is not JSON. Half a surrogate pair, which some editors send, becomes a replacement character of the
// same length in UTF-16.
std::optional<Json> parse_message(std::string_view text);

Json answer(const Json &id, Json result);
Json error_answer(const Json &id, ErrorCode code, std::string_view message);
Json notification(std::string_view method, Json params);

// The member, or null if there is none or `object` is not an object.
const Json &member(const Json &object, std::string_view name);
// Through several objects: `member(a, {"b", "c"})` is a.b.c.
const Json &member(const Json &object, std::initializer_list<std::string_view> names);
// True only if it is there and true.
bool is_true(const Json &value);

} // namespace deepperf::server
