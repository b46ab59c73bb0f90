// Runs actors on the thread that wakes them.
//
// A message to a sleeping actor hands the actor to CAF's scheduler, which wakes a thread for it. Under light load every
// message does so, and waking a thread costs more processor time than most actors' work. So a thread outside the
// scheduler may run the actors that it wakes itself, if that delays no other work.
#pragma once

#include <cstddef>
#include <deque>

#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

namespace gateway {

/// Used by one thread. Actors that are woken by a message sent with this execution unit wait for run(), which must be
/// called next.
class local_scheduler final : public caf::execution_unit {
 public:
  explicit local_scheduler(caf::actor_system& system) : caf::execution_unit(&system) {}
  ~local_scheduler() override { hand_over(); }
  local_scheduler(const local_scheduler&) = delete;
  local_scheduler& operator=(const local_scheduler&) = delete;

  /// Takes over a reference to the actor.
  void exec_later(caf::resumable* woken) override { woken_.push_back(woken); }

  /// Runs the woken actors, and those that they wake, for `most_turns` turns in all. CAF's scheduler gets the rest.
  void run() {
    for (std::size_t turns = 0; !woken_.empty() && turns < most_turns; ++turns) {
      auto* const next = woken_.front();
      woken_.pop_front();
      if (next->resume(this, most_messages) == caf::resumable::resume_later)
        system().scheduler().enqueue(next);  // passes on the reference
      else
        caf::intrusive_ptr_release(next);
    }
    hand_over();
  }

 private:
  /// A payment's request takes about six turns of one or two messages each.
  static constexpr std::size_t most_turns = 16;
  static constexpr std::size_t most_messages = 8;

  void hand_over() {
    for (; !woken_.empty(); woken_.pop_front()) system().scheduler().enqueue(woken_.front());
  }

  std::deque<caf::resumable*> woken_;
};

}  // namespace gateway
