// Messages to the editor. Any thread may send.
#pragma once

#include "server/json.h"

#include <mutex>
#include <string>
#include <string_view>

namespace deepperf::server {

class Output {
public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  // Once the editor has gone, nothing is sent any more.
  void send(const Json &message);
  // A request to the editor; gives back its id. Its answer comes as any other message.
  std::string request(std::string_view method, Json params);
  // For the user to see; `type` is 1 for an error, 2 for a warning.
  void show(int type, std::string_view message);
  void log(int type, std::string_view message);

  // Ends the process between two messages.
  [[noreturn]] void exit_now(int code);

private:
  std::mutex mutex_;
  int descriptor_;
  bool is_closed_ = false;
  unsigned next_id_ = 1;
};

} // namespace deepperf::server
