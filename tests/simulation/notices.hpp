// The notifications of a provider that is not the gateway's own: it posts them to any node until one answers that it
// is stored, several times, late, or never, and some about what the gateway does not know. Checks that each is stored
// once as it was posted, and is settled in the end, unless what it is about does not exist.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "errands.hpp"
#include "gateway/provider.hpp"
#include "promises.hpp"

namespace gateway::simulation {

/// What the provider tells of a notification when it is asked.
notification_subject subject_of(const notification& what);

class notice_promises {
 public:
  notice_promises(const testing::memory_store& rows, promises& all) : rows_{rows}, all_{all} {}

  void posted(const receive_notification& what, std::optional<entity_key> about);
  void answered(const std::string& event_id, const entity_reply& reply);
  /// A unit has been committed that inserts or changes one.
  void committed(const testing::unit_parts& unit);
  /// Whether one waits that could be settled.
  bool anything_open() const;
  /// The checks after the faults have ended and nothing is in flight.
  void at_rest();

 private:
  struct post {
    receive_notification what;
    std::optional<entity_key> about;  ///< nothing: the gateway need not know it
  };
  /// Whether it waits for what is not there.
  bool waits_for_unknown(const notification& row) const;
  bool exists(const entity_key& payment) const;

  const testing::memory_store& rows_;
  promises& all_;
  std::map<std::string, post> posted_;        ///< by event id
  std::map<std::string, notification> seen_;  ///< likewise: as last committed, also when it has been purged
  std::set<std::string> answered_;
};

class notices {
 public:
  notices(virtual_time& time, random_source& random, const fault_rates& faults, notice_promises& held, journal& log,
          errands::send_function send)
      : time_{time},
        random_{random},
        faults_{faults},
        promises_{held},
        log_{log},
        errands_{"provider", time, random, faults, log, std::move(send)} {}

  /// Something has happened to the payment; nothing: to what the gateway does not know of.
  void tell(const std::optional<entity_key>& of);
  /// Nothing is given up any more.
  void calm_down() { errands_.calm_down(); }
  bool done() const { return under_way_ == 0 && errands_.done(); }

 private:
  void post(const receive_notification& what);

  virtual_time& time_;
  random_source& random_;
  const fault_rates& faults_;
  notice_promises& promises_;
  journal& log_;
  errands errands_;
  std::uint64_t last_ = 0;
  unsigned under_way_ = 0;  ///< not posted yet
};

}  // namespace gateway::simulation
