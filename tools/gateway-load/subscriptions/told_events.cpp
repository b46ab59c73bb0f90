#include "told_events.hpp"

namespace gateway::load {

namespace {

std::string text_of(const boost::json::object& from, const char* name) {
  const auto* found = from.if_contains(name);
  const auto* text = found ? found->if_string() : nullptr;
  return text ? std::string{text->data(), text->size()} : std::string{};
}

}  // namespace

void told_events::take(const boost::json::object& envelope, bool rightly_signed) {
  const auto id = text_of(envelope, "id");
  if (!rightly_signed) {
    faults_.push_back("event " + id + " came with a signature that is not the destination's");
    return;
  }
  if (!ids_.insert(id).second) {
    faults_.push_back("event " + id + " was told in two bodies, or as two deliveries");
    return;
  }
  const auto* data = envelope.if_contains("data");
  const auto* about = data ? data->if_object() : nullptr;
  if (!about) {
    faults_.push_back("event " + id + " has no data");
    return;
  }
  auto subject = text_of(*about, "subscription_id");
  if (subject.empty()) subject = text_of(*about, "payment_id");
  told_event one;
  one.type = text_of(envelope, "type");
  const auto* amount = about->if_contains("amount");
  if (amount && amount->is_int64()) one.amount = amount->get_int64();
  one.period_start = text_of(*about, "period_start");
  one.period_end = text_of(*about, "period_end");
  by_subject_[std::move(subject)].push_back(std::move(one));
}

const std::vector<told_event>& told_events::of(const std::string& subject) const {
  static const std::vector<told_event> none;
  const auto found = by_subject_.find(subject);
  return found == by_subject_.end() ? none : found->second;
}

}  // namespace gateway::load
