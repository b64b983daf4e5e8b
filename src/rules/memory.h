// What rules have worked out before and may need again: facts of a function, class, loop or module that many places ask
// for. Without it, a rule that searches a function for each call in it would take the square of its length.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

namespace deepperf::rules {

class Memory {
public:
  // The fact about something. `find` works it out when it is first asked for. The type of the fact tells which one it
  // is, so that each needs a type of its own; `about` stays where it is as long as the project does.
  template <class Fact, class Find> const Fact &recall(const void *about, Find find) {
    static const char kTag = 0; // one for each type
    const Key key{&kTag, about};
    if (const auto known = facts_.find(key); known != facts_.end()) {
      return *static_cast<const Fact *>(known->second.get());
    }
    auto fact = std::make_shared<const Fact>(find()); // which may ask for other facts
    const Fact &result = *fact;
    facts_.insert_or_assign(key, std::move(fact));
    return result;
  }

private:
  using Key = std::pair<const void *, const void *>;
  struct Hash {
    std::size_t operator()(const Key &key) const {
      const std::hash<const void *> hash;
      return hash(key.first) * 31 + hash(key.second);
    }
  };
  std::unordered_map<Key, std::shared_ptr<const void>, Hash> facts_;
};

} // namespace deepperf::rules
