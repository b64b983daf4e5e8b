#include "server/queue.h"

namespace deepperf::server {

void Queue::push(Event event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  filled_.notify_one();
}

std::optional<Event> Queue::pop(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) {
    filled_.wait(lock, [this] { return !events_.empty(); });
  }
  if (events_.empty()) {
    return std::nullopt;
  }
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Queue::add_request(const std::string &id) {
  const std::lock_guard lock(mutex_);
  requests_.insert(id);
}

void Queue::cancel(const std::string &id) {
  const std::lock_guard lock(mutex_);
  if (requests_.contains(id)) {
    cancelled_.insert(id);
  }
}

bool Queue::is_cancelled(const std::string &id) {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

void Queue::finish_request(const std::string &id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = requests_.find(id); found != requests_.end()) {
    requests_.erase(found);
  }
  cancelled_.erase(id);
}

bool Queue::has_requests() {
  const std::lock_guard lock(mutex_);
  return !requests_.empty();
}

} // namespace deepperf::server
