// The health of the lanes' destinations. It is stored from time to time, so that pages on every node show it, and a
// destination that only fails is disabled by it. A crash loses at most a minute of it.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "dispatcher_state.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/messages/ask_store.hpp"

namespace gateway::actors {

namespace {

constexpr std::chrono::seconds save_interval{60};
/// Most rows in one unit, and most reads at once. The others follow at the next call, some seconds later.
constexpr std::size_t most_saved_together = 100;
constexpr std::size_t most_health_reads = 16;

std::string words_of_duration(duration_ms span) {
  using namespace std::chrono_literals;
  const auto counted = [](std::int64_t count, std::string unit) {
    return std::to_string(count) + ' ' + unit + (count == 1 ? "" : "s");
  };
  if (span >= 24h && span % 24h == 0ms) return counted(span / 24h, "day");
  if (span >= 1h && span % 1h == 0ms) return counted(span / 1h, "hour");
  if (span >= 1min && span % 1min == 0ms) return counted(span / 1min, "minute");
  return counted(std::max<std::int64_t>(1, span / 1s), "second");
}

}  // namespace

void dispatcher_state::note_health(destination_lane& of, const attempt_answered& report, const destination& to,
                                   time_point now) {
  if (to.url != of.url) return;  // the destination has moved since the attempt began
  auto& value = of.health.value;
  value.owner = to.owner;
  value.id = to.id;
  of.health.note(report.result == attempt_result::delivered, of.trust.probe_at(), now);
}

/// Reads, judges and stores the health of each lane. `all`: stores every change now.
void dispatcher_state::keep_health(time_point now, bool all) {
  std::vector<destination_health> saved;
  for (auto& [id, lane] : lanes_) {
    auto& health = lane.health;
    if (!may_serve(lane)) {
      // The lane's new node has read what was stored, and continues from there.
      if (!health.reading) health = {};
      continue;
    }
    if (!health.changed && !health.failed_here) continue;
    if (!health.known) {
      read_health(lane);
      continue;
    }
    if (health.failed_here) judge(lane, now);
    if (saved.size() >= most_saved_together && !all) continue;
    if (all ? !health.changed : !health.is_to_be_saved(now, save_interval)) continue;
    saved.push_back(health.value);
    health.on_saving(now);
  }
  if (!saved.empty()) save_health(std::move(saved));
}

void dispatcher_state::read_health(destination_lane& of) {
  if (of.health.reading || health_reads_ >= most_health_reads) return;
  of.health.reading = true;
  health_reads_ += 1;
  // The lane may be gone when the answer comes.
  ask_store(self_, context_->store.outbox, answer_timeout,
            find_destination_health{of.health.value.owner, of.health.value.id})
      .then(
          [this, id = of.id](const destination_health_lookup& found) {
            health_reads_ -= 1;
            if (const auto at = lanes_.find(id); at != lanes_.end()) at->second.health.has_read(found);
          },
          [this, id = of.id](const caf::error&) {
            health_reads_ -= 1;
            if (const auto at = lanes_.find(id); at != lanes_.end()) at->second.health.reading = false;
          });
}

/// Safe to repeat: each row replaces the one before.
void dispatcher_state::save_health(std::vector<destination_health> rows) {
  unit_of_work unit;
  unit.kind = unit_kind::record;
  std::vector<destination_id> ids;
  for (auto& row : rows) {
    ids.push_back(row.id);
    unit.inserts.emplace_back(std::move(row));
  }
  const auto not_saved = [this](const std::vector<destination_id>& of) {
    for (const auto& id : of)
      if (const auto at = lanes_.find(id); at != lanes_.end()) at->second.health.changed = true;
  };
  self_->request(context_->store.recorder, answer_timeout, std::move(unit))
      .then(
          [ids, not_saved](commit_outcome outcome) {
            if (outcome != commit_outcome::committed) not_saved(ids);
          },
          [ids, not_saved](const caf::error&) { not_saved(ids); });
}

/// Disables the destination if everything has failed for too long. The last attempt must have failed on this node:
/// after a start a destination gets one more attempt.
void dispatcher_state::judge(destination_lane& of, time_point now) {
  const auto endpoint = context_->merchants.find_destination(of.id);
  if (!endpoint || of.being_disabled) return;
  if (endpoint->what.status != destination_status::enabled) {
    of.health.failed_here = false;
    return;
  }
  const auto since = failing_since(of.health.value, endpoint->what);
  const auto longest = context_->config.webhook_disable_after;
  if (since && now - *since >= trouble_after && now - *since < longest) report_failing(of, *since);
  if (!since || now - *since < longest) return;
  log::warn("destination_failed_too_long", {{"destination", of.id.value}});
  disable(of, endpoint->what, "Nothing was delivered to it for " + words_of_duration(longest) + ".");
}

/// The directory queues the mails about a failure once, whichever nodes report it, and however often.
void dispatcher_state::report_failing(destination_lane& of, time_point since) {
  if (context_->config.mail_url.empty() || of.health.reported_since == since) return;
  of.health.reported_since = since;
  self_->request(context_->operators, answer_timeout, operator_command{report_failing_destination{of.id, since}})
      .then([](const operator_result&) {},
            [this, id = of.id](const caf::error&) {
              if (const auto at = lanes_.find(id); at != lanes_.end()) at->second.health.reported_since.reset();
            });
}

void dispatcher_state::disable(destination_lane& to, const destination& what, std::string reason) {
  to.being_disabled = true;
  const auto not_disabled = [this, &to](std::string_view why) {
    log::error("destination_not_disabled", {{"destination", to.id.value}, {"why", why}});
    to.being_disabled = false;
    to.gone.reset();  // its next answer shows whether it still is
    enqueue(to);
    work();
  };
  save_audit note;
  note.user = user_id{std::string{gateway_on_audit_log}};
  note.at = context_->clock.now();
  note.id = "audit_" + crypto::random_hex(16);
  note.action = "disable destination";
  note.subject = to.id.value;
  if (what.kind == destination_kind::merchant) note.merchant = merchant_id{what.owner};
  note.env = what.env;
  self_
      ->request(context_->operators, answer_timeout,
                noted_command{operator_command{disable_destination{to.id, std::move(reason), true}}, std::move(note)})
      .then(
          [&to, not_disabled](const operator_result& made) {
            to.being_disabled = false;
            if (const auto* why = std::get_if<operator_problem>(&made)) not_disabled(why->words);
          },
          [not_disabled](const caf::error&) { not_disabled("the directory did not answer"); });
}

}  // namespace gateway::actors
