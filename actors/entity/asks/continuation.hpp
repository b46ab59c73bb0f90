// The rest of a request's work while it waits for an answer: a function object behind one pointer.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <caf/intrusive_ptr.hpp>
#include <caf/ref_counted.hpp>

namespace gateway::actors {

/// What is done next, once, with `Args`. The two handlers of a CAF request share one continuation (only one of them
/// runs), so it may hold move-only values. All continuations with the same arguments have one type, so functions that
/// take them need not be templates.
template <class... Args>
class continuation {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, continuation>)
  continuation(F next) : held_{new holder<F>{std::move(next)}, false} {}  // NOLINT(google-explicit-constructor)

  void operator()(Args... args) const { held_->run(std::forward<Args>(args)...); }

 private:
  struct step : caf::ref_counted {
    virtual void run(Args... args) = 0;
  };
  template <class F>
  struct holder final : step {
    explicit holder(F&& f) : next{std::move(f)} {}
    void run(Args... args) override { next(std::forward<Args>(args)...); }
    F next;
  };

  caf::intrusive_ptr<step> held_;
};

}  // namespace gateway::actors
