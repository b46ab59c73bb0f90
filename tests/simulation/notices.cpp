#include "notices.hpp"

#include <algorithm>
#include <utility>

namespace gateway::simulation {

notification_subject subject_of(const notification& what) {
  if (what.body.empty()) return no_subject{};
  return about_payment{payment_key(merchant_id{"merch_1"}, environment::test, payment_id{what.body})};
}

// ---- what must hold -----------------------------------------------------------------------------

void notice_promises::posted(const receive_notification& what, std::optional<entity_key> about) {
  posted_.try_emplace(what.event_id, post{what, std::move(about)});
}

void notice_promises::answered(const std::string& event_id, const entity_reply& reply) {
  const auto* row = std::get_if<entity_row>(&reply.what);
  if (!row || !std::holds_alternative<notification_ptr>(*row))
    return all_.break_("the notification " + event_id + " is answered with something other than its row");
  answered_.insert(event_id);
  if (!seen_.contains(event_id)) all_.break_("the notification " + event_id + " is answered before it is stored");
}

bool notice_promises::exists(const entity_key& payment) const {
  return rows_.payments.contains(testing::memory_store::id(payment));
}

void notice_promises::committed(const testing::unit_parts& unit) {
  const auto& next = *unit.changed_notification();
  const auto& id = next.event_id;
  const auto from = posted_.find(id);
  if (from == posted_.end()) return all_.break_("the notification " + id + " is stored, and nobody has posted it");
  const auto& [what, about] = from->second;
  if (next.body != what.body || next.type != what.type || next.provider != what.provider)
    all_.break_("the notification " + id + " is stored other than it was posted");
  using enum notification_state;
  const auto known = seen_.find(id);
  if (unit.insert_notification) {
    if (known != seen_.end() && known->second.state == waiting)
      all_.break_("the notification " + id + " is stored twice");
    if (next.version != 1 || next.state != waiting || !next.due_at)
      all_.break_("the notification " + id + " begins as something other than one that is due");
  } else {
    if (next.version != known->second.version + 1 || known->second.state != waiting)
      all_.break_("the notification " + id + " is " + std::string{to_string(known->second.state)} + ", and becomes " +
                  std::string{to_string(next.state)});
    if ((next.state == waiting) != next.due_at.has_value())
      all_.break_("the notification " + id + " is " + std::string{to_string(next.state)} + " and " +
                  (next.due_at ? "due" : "never due"));
  }
  if (next.state == ignored && about) all_.break_("the notification " + id + " is ignored, and is about " + about->id);
  if ((next.state == applied && !(about && exists(*about))) || (next.state == expired && !(about && !exists(*about))))
    all_.break_("the notification " + id + " is " + std::string{to_string(next.state)} + ", and is about " +
                (about ? about->id : "nothing"));
  seen_.insert_or_assign(id, next);
}

bool notice_promises::waits_for_unknown(const notification& row) const {
  const auto& about = posted_.at(row.event_id).about;
  return about && !exists(*about);
}

bool notice_promises::anything_open() const {
  return std::ranges::any_of(rows_.notifications, [&](const auto& each) {
    return each.second.state == notification_state::waiting && !waits_for_unknown(each.second);
  });
}

bool notice_promises::is_applied(const std::string& event_id) const {
  const auto last = seen_.find(event_id);
  return last != seen_.end() && last->second.state == notification_state::applied;
}

void notice_promises::at_rest() {
  for (const auto& [key, row] : rows_.notifications)
    if (row.state == notification_state::waiting && !waits_for_unknown(row))
      all_.break_("the notification " + row.event_id + " waits for ever");
  for (const auto& id : answered_) {
    const auto& last = seen_.at(id);
    // Settled ones are purged after a time.
    if (last.state == notification_state::waiting && !rows_.notifications.contains(testing::memory_store::id(last.key)))
      all_.break_("the notification " + id + " was answered, and is not stored");
  }
}

// ---- the provider -------------------------------------------------------------------------------

std::string notices::notify(const std::optional<entity_key>& of) {
  receive_notification what;
  what.provider = provider_kind::stripe;
  what.event_id = "evt_at_" + std::to_string(++last_);
  what.type = of ? "payment.changed" : "weather.changed";
  if (of) what.body = of->id;
  promises_.posted(what, of);
  if (random_.chance(faults_.notice_lost)) {
    log_.write("provider", "never tells ", what.event_id);
    log_.occurs("a notification is lost for good");
    return what.event_id;
  }
  post(what);
  if (random_.chance(faults_.notice_twice)) {
    log_.occurs("a notification is posted twice");
    post(what);
  }
  return what.event_id;
}

void notices::post(const receive_notification& what) {
  const bool late = random_.chance(faults_.notice_late);
  if (late) log_.occurs("a notification is late");
  ++under_way_;
  time_.in(duration_ms{random_.between(0, late ? 120'000 : 500)}, [this, what] {
    --under_way_;
    retried_calls_.begin(
        "posts " + what.event_id,
        [what] {
          return entity_request{notification_key(what.provider, environment::test, what.event_id), std::nullopt,
                                notification_command{what}};
        },
        [this, id = what.event_id](const entity_reply& reply) { promises_.answered(id, reply); });
  });
}

}  // namespace gateway::simulation
