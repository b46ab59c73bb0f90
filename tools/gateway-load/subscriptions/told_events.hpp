// The events that a platform was told of, by what they are about: a subscription or a payment.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/object.hpp>

namespace gateway::load {

/// What one event says.
struct told_event {
  std::string type;
  std::int64_t amount = -1;
  std::string period_start, period_end;  ///< of a subscription's
};

/// Concurrency: take() by one thread; the others when no more events are awaited.
class told_events {
 public:
  /// To be called with each post that is not the repeat of an earlier one.
  void take(const boost::json::object& envelope, bool rightly_signed);

  /// Of a subscription, by its id in events, or of a payment.
  const std::vector<told_event>& of(const std::string& subject) const;
  /// What must not have come, a line each: posts that are wrongly signed, events told in two bodies or as two
  /// deliveries.
  const std::vector<std::string>& faults() const noexcept { return faults_; }
  std::size_t subjects() const noexcept { return by_subject_.size(); }
  std::uint64_t events() const noexcept { return ids_.size(); }

 private:
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::vector<told_event>> by_subject_;
  std::vector<std::string> faults_;
};

}  // namespace gateway::load
