#include "audit_witness.hpp"

#include <map>
#include <utility>

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds heads_answer_timeout{30};

class audit_witness_state {
 public:
  static inline const char* name = "audit_witness";

  void start(audit_witness::pointer self, store_reader archive, const wall_clock& clock, metrics& counts) {
    self_ = self;
    archive_ = std::move(archive);
    clock_ = &clock;
    counts_ = &counts;
    self_->send(self_, wake_atom::value);
  }

  void look() {
    self_->delayed_send(self_, between_audit_witnesses, wake_atom::value);
    ask_store(self_, archive_, heads_answer_timeout, find_audit_heads{})
        .then([this](audit_heads_lookup& found) { report(found); },
              [](const caf::error&) { log::warn("audit_heads_unread"); });
  }

 private:
  void report(const audit_heads_lookup& found) {
    std::int64_t entries = 0;
    for (const auto& head : found.heads) {
      entries += head.number;
      auto& logged = logged_[head.chain];
      if (logged == head.hash) continue;
      logged = head.hash;
      log::info("audit_head", {{"chain", head.chain}, {"number", head.number}, {"hash", head.hash}});
    }
    counts_->audit_entries.Set(static_cast<double>(entries));
    counts_->audit_witnessed_at.Set(seconds_since_1970(clock_->now()));
    if (found.backup_made_at) counts_->backup_made_at.Set(seconds_since_1970(*found.backup_made_at));
  }

  static double seconds_since_1970(time_point at) {
    return std::chrono::duration<double>(at.time_since_epoch()).count();
  }

  audit_witness::pointer self_ = nullptr;
  store_reader archive_;
  const wall_clock* clock_ = nullptr;
  metrics* counts_ = nullptr;
  std::map<std::int64_t, std::string> logged_;  ///< hashes by chain
};

audit_witness::behavior_type audit_witness_behavior(audit_witness::stateful_pointer<audit_witness_state> self,
                                                    store_reader archive, const wall_clock* clock, metrics* counts) {
  self->state.start(self, std::move(archive), *clock, *counts);
  return {[self](wake_atom) { self->state.look(); }};
}

}  // namespace

audit_witness spawn_audit_witness(caf::actor_system& system, store_reader archive, const wall_clock& clock,
                                  metrics& counts) {
  return system.spawn(audit_witness_behavior, std::move(archive), &clock, &counts);
}

}  // namespace gateway::actors
