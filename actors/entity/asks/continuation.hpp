// How the rest of a request travels through an answer that is waited for: a function object behind one pointer.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <caf/intrusive_ptr.hpp>
#include <caf/ref_counted.hpp>

namespace gateway::actors {

/// What is done next, once, with `Args`. The two handlers of a CAF request, of which one runs, share one continuation,
/// so it may hold what cannot be copied. All continuations with the same arguments have one type: what takes them is no
/// template.
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
