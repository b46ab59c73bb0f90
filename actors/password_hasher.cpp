// What is asked joins a queue, strangers' or that of who is known, and a message to this actor follows, if none is
// under way. The message comes after all that is in the mailbox already: so the mailbox is emptied before each
// password, and the queue's bound is the actor's.

#include "password_hasher.hpp"

#include <algorithm>
#include <deque>
#include <functional>

#include <caf/all.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {

namespace {

/// It tells itself to go on with the next.
using working_hasher = password_hasher::extend<caf::reacts_to<work_atom>>;

class hashing_queue {
 public:
  static inline const char* name = "password_hasher";

  void start(working_hasher::pointer self, std::size_t most_waiting) {
    self_ = self;
    most_waiting_ = most_waiting;
    most_of_one_ = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, most_waiting / 4));
  }

  /// `compute` takes its time.
  template <class Result, class Compute>
  caf::result<Result> take(std::string& for_whom, Compute compute) {
    auto& queue = for_whom.empty() ? strangers_ : known_;
    const auto of_the_same = std::ranges::count(queue, for_whom, &job::for_whom);
    if (queue.size() >= most_waiting_ || (!for_whom.empty() && of_the_same >= most_of_one_))
      return make_error(actor_errc::overloaded);
    auto promise = self_->make_response_promise<Result>();
    queue.push_back(
        {std::move(for_whom), [promise, compute = std::move(compute)]() mutable { promise.deliver(compute()); }});
    if (strangers_.size() + known_.size() == 1) self_->send(self_, work_atom::value);
    return promise;
  }

  void work() {
    known_is_next_ = strangers_.empty() || (known_is_next_ && !known_.empty());
    auto& queue = known_is_next_ ? known_ : strangers_;
    queue.front().run();
    queue.pop_front();
    known_is_next_ = !known_is_next_;
    if (!strangers_.empty() || !known_.empty()) self_->send(self_, work_atom::value);
  }

 private:
  struct job {
    std::string for_whom;
    std::function<void()> run;
  };

  working_hasher::pointer self_ = nullptr;
  std::size_t most_waiting_ = 0;  ///< in each queue
  std::ptrdiff_t most_of_one_ = 0;
  std::deque<job> strangers_, known_;
  bool known_is_next_ = true;
};

working_hasher::behavior_type hasher_behavior(working_hasher::stateful_pointer<hashing_queue> self,
                                              std::size_t most_waiting) {
  // The actor system's end waits for detached actors, but not for what their threads do after them.
  self->attach_functor([] { crypto::leave_thread(); });
  self->state.start(self, most_waiting);
  return {
      [self](hash_password& wanted) {
        return self->state.take<std::string>(
            wanted.for_whom, [password = std::move(wanted.password)] { return crypto::hash_password(password); });
      },
      [self](verify_password& wanted) {
        return self->state.take<bool>(wanted.for_whom,
                                      [password = std::move(wanted.password), stored = std::move(wanted.stored)] {
                                        return crypto::verify_password(password, stored);
                                      });
      },
      [self](work_atom) { self->state.work(); },
  };
}

}  // namespace

password_hasher spawn_password_hasher(caf::actor_system& system, std::size_t most_waiting, runs_on where) {
  return spawn_on(where, system, hasher_behavior, most_waiting);
}

}  // namespace gateway::actors
