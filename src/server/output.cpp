#include "server/output.h"

#include "base/json.h"
#include "server/frames.h"
#include "server/message.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>

namespace deepperf::server {

void Output::send(const Json &message) {
  // Paths may hold bytes that are not UTF-8.
  const std::string bytes = framed(json_text(message));
  const std::lock_guard lock(mutex_);
  std::string_view rest = bytes;
  while (!rest.empty() && !is_closed_) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else {
      is_closed_ = errno != EINTR;
    }
  }
}

std::string Output::request(std::string_view method, Json params) {
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    id = fmt::format("deepperf-{}", next_id_++);
  }
  Json message = notification(method, std::move(params));
  message["id"] = id;
  send(message);
  return id;
}

void Output::show(int type, std::string_view message) {
  send(notification("window/showMessage", {{"type", type}, {"message", message}}));
}

void Output::log(int type, std::string_view message) {
  send(notification("window/logMessage", {{"type", type}, {"message", message}}));
}

void Output::exit_now(int code) {
  mutex_.lock();
  ::_exit(code);
}

} // namespace deepperf::server
