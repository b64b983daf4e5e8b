// What rules have worked out before and may need again: facts of a function, class, loop or module that many places ask
// for. Without it, a rule that searches a function for each call in it would take the square of its length.
#pragma once

#include "base/reads.h"
#include "base/steps.h"

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace deepperf::rules {

class Memory {
public:
  Memory() = default;
  // `whole` is the project. Its facts are on nobody's account of steps: who asks first would pay for all.
  explicit Memory(const void *whole) : whole_(whole) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  // The fact about something. `find` works it out when it is first asked for. The types of the fact and of `find` tell
  // which one it is: a fact that two places ask for needs one function that both call. `about` stays where it is as
  // long as the project does.
  template <class Fact, class Find> const Fact &recall(const void *about, Find find) {
    static const char kTag = 0; // one for each type
    const Key key{&kTag, about};
    if (const void *known = known_fact(key); known != nullptr) {
      return *static_cast<const Fact *>(known);
    }
    const ReadScope reads;
    const auto *fact = about == whole_ ? find_shared<Fact>(find) : new Fact(find()); // which may ask for other facts
    keep(key, Kept(fact, [](const void *kept) { delete static_cast<const Fact *>(kept); }));
    return *fact;
  }

private:
  template <class Fact, class Find> static const Fact *find_shared(Find &find) {
    const SharedWork shared;
    return new Fact(find());
  }

  struct Key {
    const void *tag = nullptr; // null: the place is free
    const void *about = nullptr;
    friend bool operator==(const Key &a, const Key &b) = default;
  };
  using Kept = std::unique_ptr<const void, void (*)(const void *)>;
  struct Place {
    Key key;
    const void *fact = nullptr;
    void (*drop)(const void *) = nullptr;
  };

  [[nodiscard]] const void *known_fact(const Key &key) const;
  void keep(const Key &key, Kept fact);
  // Where the key is, or would be.
  [[nodiscard]] std::size_t place_of(const Key &key) const;
  void grow();
  void note_reads(const Key &key) const;

  const void *whole_ = nullptr;
  // Rules ask at nearly every place that they look at, so that this is a table without lists.
  std::vector<Place> places_; // a power of two, at most half of them in use
  std::size_t count_ = 0;
  std::map<std::pair<const void *, const void *>, ReadSet>
      reads_; // what facts were worked out from, if anybody wants to know
};

} // namespace deepperf::rules
