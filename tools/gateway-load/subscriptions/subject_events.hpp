// The events that a platform received, by their subject: a subscription or a payment.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/json/object.hpp>

namespace gateway::load {

/// The content of one event.
struct subject_event {
  std::string type;
  std::int64_t amount = -1;
  std::string period_start, period_end;  ///< for a subscription's event
};

/// Concurrency: take() is called by one thread; the other members once no more events are expected.
class subject_events {
 public:
  /// To be called with each post that is not the repeat of an earlier one.
  void take(const boost::json::object& envelope, bool rightly_signed);

  /// The events of a subscription, by its id in events, or of a payment.
  const std::vector<subject_event>& of(const std::string& subject) const;
  /// The faults of the posts, a line each: wrong signatures, and events with two bodies or two deliveries.
  const std::vector<std::string>& faults() const noexcept { return faults_; }
  std::size_t subjects() const noexcept { return by_subject_.size(); }
  std::uint64_t events() const noexcept { return ids_.size(); }

 private:
  std::unordered_set<std::string> ids_;
  std::unordered_map<std::string, std::vector<subject_event>> by_subject_;
  std::vector<std::string> faults_;
};

}  // namespace gateway::load
