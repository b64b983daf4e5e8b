// Something that can be called, for as long as the call lasts that it is given to: unlike std::function it owns
// nothing, and needs no memory.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace deepperf {

template <class Signature> class FunctionRef;

template <class Result, class... Args> class FunctionRef<Result(Args...)> {
public:
  template <class Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef>)
      FunctionRef(Callable &&callable) // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
      : object_(std::addressof(callable)), call_([](const void *object, Args... args) -> Result {
          return (*static_cast<const std::remove_cvref_t<Callable> *>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
  const void *object_;
  Result (*call_)(const void *, Args...);
};

} // namespace deepperf
