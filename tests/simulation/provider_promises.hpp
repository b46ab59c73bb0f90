// Checks that the gateway follows a provider other than its own. When that has been quiet for a day, each payment is as
// it is there: its state, captured amount, refunds, disputes and ledger. Each of the provider's refunds and disputes is
// counted once, and each difference was reported by one event.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "journal.hpp"
#include "notices.hpp"
#include "promises.hpp"
#include "provider_payments.hpp"
#include "virtual_time.hpp"

namespace gateway::simulation {

/// How the payment differs from what its provider has; empty if it does not.
std::string difference_of(const payment& row, const payment_there& there);

class provider_promises {
 public:
  provider_promises(const testing::memory_store& rows, const provider_payments& there, const notice_promises& notices,
                    const virtual_time& time, promises& all, journal& log)
      : rows_{rows}, there_{there}, notices_{notices}, time_{time}, all_{all}, log_{log} {}

  /// Whether the gateway is about to compare a payment with its provider. Otherwise an authorized one is due in a day.
  bool anything_due() const;
  /// An authorized payment differs from its provider: its daily look will find that.
  void count_changed() const;
  /// Before operators refresh anything: authorized payments agree with their provider, and so do those of which
  /// the last change at the provider was notified, and those to which nothing has happened there.
  void check_without_refresh() const;
  /// A refresh that finds nothing new leaves no entry in a timeline. Called before and after it.
  void before_second_refresh();
  void after_second_refresh() const;
  /// The checks after every payment was refreshed.
  void at_rest() const;

 private:
  const payment_there* find(const payment& row) const;
  /// Whether nothing has let the gateway know of the last change.
  bool is_unnoticed(const payment_there& there) const;
  void check_agrees(const payment& row, const payment_there& there) const;
  void check_refunds(const payment& row, const payment_there& there) const;
  void check_disputes(const payment& row, const payment_there& there) const;
  void check_events(const payment& row) const;
  /// How many events of the type report that object; of the payment itself if it is empty.
  unsigned events(const payment& row, event_type type, const std::string& about = {}) const;
  struct moved {
    unsigned count = 0;
    std::int64_t minor = 0;
  };
  moved entries(const payment& row, ledger_kind what, const std::string& movement_ref) const;

  const testing::memory_store& rows_;
  const provider_payments& there_;
  const notice_promises& notices_;
  const virtual_time& time_;
  promises& all_;
  journal& log_;
  std::map<testing::memory_store::entity_row_key, std::uint32_t> lengths_;  ///< of timelines
};

}  // namespace gateway::simulation
