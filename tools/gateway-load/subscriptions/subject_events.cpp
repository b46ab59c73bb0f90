#include "subject_events.hpp"

#include "workload/json_members.hpp"

namespace gateway::load {

void subject_events::take(const boost::json::object& envelope, bool rightly_signed) {
  const auto id = text_member_of(envelope, "id");
  if (!rightly_signed) {
    faults_.push_back("event " + id + " arrived with a signature that is not the destination's");
    return;
  }
  if (!ids_.insert(id).second) {
    faults_.push_back("event " + id + " arrived with two bodies, or as two deliveries");
    return;
  }
  const auto* data = envelope.if_contains("data");
  const auto* about = data ? data->if_object() : nullptr;
  if (!about) {
    faults_.push_back("event " + id + " has no data");
    return;
  }
  auto subject = text_member_of(*about, "subscription_id");
  if (subject.empty()) subject = text_member_of(*about, "payment_id");
  subject_event one;
  one.type = text_member_of(envelope, "type");
  one.amount = number_member_of(*about, "amount");
  one.period_start = text_member_of(*about, "period_start");
  one.period_end = text_member_of(*about, "period_end");
  by_subject_[std::move(subject)].push_back(std::move(one));
}

const std::vector<subject_event>& subject_events::of(const std::string& subject) const {
  static const std::vector<subject_event> none;
  const auto found = by_subject_.find(subject);
  return found == by_subject_.end() ? none : found->second;
}

}  // namespace gateway::load
