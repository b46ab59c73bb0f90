// A password joins one of two queues, for strangers and for known requesters. While a queue is not empty, the actor has
// one message to itself under way. All earlier messages in the mailbox are handled before it. So the mailbox is emptied
// before each password is hashed, and the queues' limits bound the whole actor.
//
// In each queue the names take turns; a name is an account, or the network of a stranger. When a queue is full, a name
// without a waiting password displaces the newest password of the name with the most. So many requests under one name
// cannot displace the only request of another.

#include "password_hasher.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <list>

#include <caf/all.hpp>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {

namespace {

/// A message to itself continues with the next password.
using working_hasher = password_hasher::extend<caf::reacts_to<work_atom>>;

struct hashing_job {
  std::function<void()> run;
  std::function<void()> turn_away;
};

/// A bounded queue in which the names take turns.
class turns {
 public:
  bool empty() const noexcept { return size_ == 0; }

  /// Calls `turn_away` of the job that gets no place: this job, or one that it displaces.
  void add(const std::string& name, hashing_job job, std::size_t most, std::size_t most_of_one) {
    auto own = std::ranges::find(lanes_, name, &lane::name);
    const auto waiting = own == lanes_.end() ? 0 : own->jobs.size();
    if (waiting >= most_of_one || (size_ >= most && (waiting > 0 || !displace_one()))) return job.turn_away();
    if (own == lanes_.end()) own = lanes_.insert(own, lane{name, {}});
    own->jobs.push_back(std::move(job));
    ++size_;
  }

  hashing_job take() {
    auto job = std::move(lanes_.front().jobs.front());
    lanes_.front().jobs.pop_front();
    --size_;
    if (lanes_.front().jobs.empty())
      lanes_.pop_front();
    else
      lanes_.splice(lanes_.end(), lanes_, lanes_.begin());
    return job;
  }

 private:
  struct lane {
    std::string name;
    std::deque<hashing_job> jobs;
  };

  /// False if no name has more than one job waiting.
  bool displace_one() {
    const auto longest = std::ranges::max_element(lanes_, {}, [](const lane& each) { return each.jobs.size(); });
    if (longest == lanes_.end() || longest->jobs.size() < 2) return false;
    longest->jobs.back().turn_away();
    longest->jobs.pop_back();
    --size_;
    return true;
  }

  std::list<lane> lanes_;  ///< the first is next; none is empty
  std::size_t size_ = 0;
};

class hashing_queue {
 public:
  static inline const char* name = "password_hasher";

  void start(working_hasher::pointer self, std::size_t most_waiting) {
    self_ = self;
    most_waiting_ = most_waiting;
    most_of_many_ = std::max<std::size_t>(1, most_waiting / 4);
  }

  /// `compute` is slow.
  template <class Result, class Compute>
  caf::result<Result> take(const std::string& for_whom, const std::string& from, Compute compute) {
    auto promise = self_->make_response_promise<Result>();
    hashing_job job{[promise, compute = std::move(compute)]() mutable { promise.deliver(compute()); },
                    [promise]() mutable { promise.deliver(make_error(actor_errc::overloaded)); }};
    const bool was_idle = unknown_.empty() && known_.empty();
    if (for_whom.empty())
      unknown_.add(from, std::move(job), most_waiting_, from.empty() ? most_waiting_ : most_of_many_);
    else
      known_.add(for_whom, std::move(job), most_waiting_,
                 for_whom == hashed_for_operator ? most_of_many_ : most_of_one);
    if (was_idle && !(unknown_.empty() && known_.empty())) self_->send(self_, work_atom::value);
    return promise;
  }

  void work() {
    known_is_next_ = unknown_.empty() || (known_is_next_ && !known_.empty());
    (known_is_next_ ? known_ : unknown_).take().run();
    known_is_next_ = !known_is_next_;
    if (!unknown_.empty() || !known_.empty()) self_->send(self_, work_atom::value);
  }

 private:
  static constexpr std::size_t most_of_one = 2;  ///< of an account

  working_hasher::pointer self_ = nullptr;
  std::size_t most_waiting_ = 0;  ///< in each queue
  std::size_t most_of_many_ = 0;  ///< of the operator, or of one network
  turns unknown_, known_;
  bool known_is_next_ = true;
};

working_hasher::behavior_type hasher_behavior(working_hasher::stateful_pointer<hashing_queue> self,
                                              std::size_t most_waiting) {
  // At its end the actor system waits for detached actors, but not for the remaining work of their threads.
  self->attach_functor([] { crypto::leave_thread(); });
  self->state.start(self, most_waiting);
  return {
      [self](hash_password& wanted) {
        return self->state.take<std::string>(
            wanted.for_whom, {}, [password = std::move(wanted.password)] { return crypto::hash_password(password); });
      },
      [self](verify_password& wanted) {
        return self->state.take<bool>(wanted.for_whom, wanted.from,
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
