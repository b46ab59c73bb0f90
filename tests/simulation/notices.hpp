// The notifications of a provider other than the gateway's own. It posts each to any node until one answers that it is
// stored: several times, late, or never, and some about objects unknown to the gateway. Checks that each is stored once
// as it was posted, and is settled in the end unless its object does not exist.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "gateway/ports/provider.hpp"
#include "promises.hpp"
#include "retried_calls.hpp"

namespace gateway::simulation {

/// What the provider answers when it is asked about a notification.
notification_subject subject_of(const notification& what);

class notice_promises {
 public:
  notice_promises(const testing::memory_store& rows, promises& all) : rows_{rows}, all_{all} {}

  void posted(const receive_notification& what, std::optional<entity_key> about);
  void answered(const std::string& event_id, const entity_reply& reply);
  /// A unit that inserts or changes a notification has been committed.
  void committed(const testing::unit_parts& unit);
  /// Whether a notification waits that could be settled.
  bool anything_open() const;
  /// Whether the notification is stored and applied, even if it was purged since then.
  bool is_applied(const std::string& event_id) const;
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest();

 private:
  struct post {
    receive_notification what;
    std::optional<entity_key> about;  ///< empty: an object that the gateway need not know
  };
  /// Whether it waits for an object that does not exist.
  bool waits_for_unknown(const notification& row) const;
  bool exists(const entity_key& payment) const;

  const testing::memory_store& rows_;
  promises& all_;
  std::map<std::string, post> posted_;  ///< by event id
  std::map<std::string, notification> seen_;  ///< by event id: as last committed, also after its purge
  std::set<std::string> answered_;
};

class notices {
 public:
  notices(virtual_time& time, random_source& random, const fault_rates& faults, notice_promises& held, journal& log,
          retried_calls::send_function send)
      : time_{time},
        random_{random},
        faults_{faults},
        promises_{held},
        log_{log},
        retried_calls_{"provider", time, random, faults, log, std::move(send)} {}

  /// Something has happened to the payment; empty: to an object unknown to the gateway. Returns the notification's id.
  std::string notify(const std::optional<entity_key>& of);
  /// From now on nothing is given up.
  void calm_down() { retried_calls_.calm_down(); }
  bool done() const { return under_way_ == 0 && retried_calls_.done(); }

 private:
  void post(const receive_notification& what);

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  notice_promises& promises_;
  journal& log_;
  retried_calls retried_calls_;
  std::uint64_t last_ = 0;
  unsigned under_way_ = 0;  ///< not posted yet
};

}  // namespace gateway::simulation
