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
      : call_(call<std::remove_reference_t<Callable>>) {
    if constexpr (std::is_function_v<std::remove_reference_t<Callable>>) {
      target_.function = reinterpret_cast<void (*)()>(&callable);
    } else {
      target_.object = std::addressof(callable);
    }
  }

  Result operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

private:
  union Target {
    const void *object;
    void (*function)();
  };

  template <class Callable> static Result call(Target target, Args... args) {
    if constexpr (std::is_function_v<Callable>) {
      return static_cast<Result>(reinterpret_cast<Callable *>(target.function)(std::forward<Args>(args)...));
    } else {
      return static_cast<Result>((*static_cast<const Callable *>(target.object))(std::forward<Args>(args)...));
    }
  }

  Target target_;
  Result (*call_)(Target, Args...);
};

} // namespace deepperf
