// Messages between the thread that reads them and the one that handles them.
#pragma once

#include "server/json.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace deepperf::server {

struct FilesChanged {
  std::vector<std::string> paths; // none: anything may have changed
};
struct End {}; // the editor has said `exit`, or is gone
using Event = std::variant<Json, FilesChanged, End>;

class Queue {
public:
  void push(Event event);
  // Waits for one. Nothing at once if there is none and `wait` is false.
  std::optional<Event> pop(bool wait);

  // Requests that are not answered yet can be cancelled. Ids are as they are written in JSON.
  void add_request(const std::string &id);
  void cancel(const std::string &id);
  bool is_cancelled(const std::string &id);
  void finish_request(const std::string &id);
  bool has_requests();

private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Event> events_;
  std::multiset<std::string> requests_;
  std::set<std::string> cancelled_;
};

} // namespace deepperf::server
