#include "deliveries.hpp"

#include <algorithm>
#include <charconv>

#include "gateway/base/crypto.hpp"
#include "text_of.hpp"

namespace gateway::simulation {

namespace {

std::string_view header(const outgoing_post& post, std::string_view name) {
  for (const auto& [key, value] : post.headers)
    if (key == name) return value;
  return {};
}

std::string signature(const webhook_endpoint& by, const std::string& body, time_point now) {
  const auto seconds = std::to_string(to_unix_ms(now) / 1000);
  const auto signed_by = [&](const std::string& secret) {
    return ",v1=" + crypto::hex(crypto::hmac_sha256(secret, seconds + "." + body));
  };
  const bool both = !by.previous_secret.empty() && now < by.previous_until;
  return "t=" + seconds + signed_by(by.secret) + (both ? signed_by(by.previous_secret) : "");
}

}  // namespace

std::int64_t delivery_promises::number_of(const outgoing_post& post) {
  const auto text = header(post, "X-Service-Delivery");
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void delivery_promises::published(const webhook_endpoint& endpoint) { endpoints_[endpoint.what.id.value] = endpoint; }

// ---- rows ---------------------------------------------------------------------------------------

void delivery_promises::committed(const testing::unit_parts& unit) {
  for (const auto& row : unit.deliveries) check_fresh(row, unit);
  if (const auto* subject = unit.subject())
    for (const auto& entry : unit.entries)
      if (entry.kind == timeline_kind::event) check_told(*subject, entry);
  for (const auto& row : unit.update_deliveries) {
    auto& past = history_[row.id];
    if (past.empty()) return all_.break_(text_of("delivery ", row.id, " is attempted, and does not exist"));
    check_attempt(past.back(), row);
    past.push_back(rows_.deliveries.at(row.id));
  }
}

void delivery_promises::check_fresh(const delivery& row, const testing::unit_parts& unit) {
  const auto is_its_event = [&](const timeline_entry& e) {
    return e.seq == row.event_seq && e.kind == timeline_kind::event;
  };
  const auto* subject = unit.subject();
  const bool of_unit = subject && row.subject == *subject && std::ranges::any_of(unit.entries, is_its_event);
  if (!of_unit) all_.break_(text_of("delivery ", row.id, " is not of an event of its commit"));
  if (row.version != 1 || row.status != delivery_status::pending || row.attempts != 0 || !row.next_attempt_at)
    all_.break_(text_of("delivery ", row.id, " does not begin as one that was never attempted"));
  history_[row.id] = {rows_.deliveries.at(row.id)};
}

/// The event has one delivery to each destination that subscribes to it, and no other.
void delivery_promises::check_told(const entity_key& subject, const timeline_entry& event) {
  std::map<std::string, unsigned> reported;
  for (const auto& [number, row] : rows_.deliveries)
    if (row.subject == subject && row.event_seq == event.seq) ++reported[row.to.value];
  for (const auto& to : published_.find_merchant(subject.merchant)->destinations) {
    const unsigned wanted = is_for(to, subject.env, event.operation) ? 1 : 0;
    if (reported[to.id.value] != wanted)
      all_.break_(text_of(event.operation, " of ", subject.id, " has ", reported[to.id.value], " deliveries to ",
                          to.id.value, ", not ", wanted));
    reported.erase(to.id.value);
  }
  if (!reported.empty())
    all_.break_(text_of(event.operation, " of ", subject.id, " is for ", reported.begin()->first, ", which is nobody"));
}

void delivery_promises::check_attempt(const delivery& from, const delivery& to) {
  const auto& n = to.id;
  if (to.version != from.version + 1)
    all_.break_(text_of("delivery ", n, " goes from version ", from.version, " to ", to.version));
  if (from.status != delivery_status::pending)
    all_.break_(text_of("delivery ", n, " is attempted when it is ", to_string(from.status)));
  if (to.partial != from.partial) all_.break_(text_of("delivery ", n, " is no more partial, or was not before"));
  if (to.attempts != from.attempts + 1 || to.round_from != from.round_from || !to.last)
    return all_.break_(text_of("delivery ", n, " goes from ", from.attempts, " attempts to ", to.attempts));
  const auto in_round = to.attempts - to.round_from;
  switch (to.status) {
    case delivery_status::delivered:
      if (to.last->result != attempt_result::delivered || !accepted_.contains(n))
        all_.break_(text_of("delivery ", n, " is said to be delivered, and nobody has accepted it"));
      break;
    case delivery_status::failed:
      if (in_round < config_.webhook_attempts)
        all_.break_(text_of("delivery ", n, " is given up after ", in_round, " attempts"));
      break;
    case delivery_status::pending: {
      const auto delay = retry_schedule{config_.webhook_attempts}.delay_after(destination_kind::merchant, in_round);
      if (!delay || to.last->result == attempt_result::delivered)
        all_.break_(text_of("delivery ", n, " goes on after attempt ", in_round, ", which was the last"));
      else if (!to.next_attempt_at || *to.next_attempt_at < to.last->at + *delay - allowance_)
        all_.break_(text_of("delivery ", n, " will be attempted before its schedule says"));
    }
  }
}

void delivery_promises::redelivered() {
  for (const auto& [number, row] : rows_.deliveries) {
    auto& past = history_[number];
    if (past.back().version == row.version) continue;
    if (row.version != past.back().version + 1 || row.status != delivery_status::pending ||
        row.round_from != row.attempts)
      all_.break_(text_of("delivery ", number, " is not redelivered as a whole"));
    past.push_back(row);
  }
}

// ---- attempts -----------------------------------------------------------------------------------

void delivery_promises::posted(node_memory& node, const outgoing_post& post, time_point now, bool serves) {
  const auto number = number_of(post);
  if (!serves) all_.break_(text_of("delivery ", number, " is sent by a node without its lease"));
  const auto row = rows_.deliveries.find(number);
  if (row == rows_.deliveries.end())
    return all_.break_(text_of("delivery ", number, " is sent, and is not in the store"));
  check_post(row->second, post, now);
  // Another node may have changed the delivery. This node must respect the version that it knows.
  const auto& past = history_.at(number);
  const auto known = node.versions.find(number);
  const auto since = known == node.versions.end() ? 1 : known->second;
  const bool due = std::any_of(past.begin() + (since - 1), past.end(), [&](const delivery& v) {
    return v.next_attempt_at && *v.next_attempt_at <= now + allowance_;
  });
  if (!due)
    all_.break_(text_of("delivery ", number, " is attempted when it is ", to_string(past.back().status), " at version ",
                        past.back().version, " and not due, of which its node knows version ", since));
  std::size_t in_all = 0;
  for (const auto& [url, count] : node.under_way) in_all += count;
  if (in_all > config_.webhook_workers) all_.break_(text_of(in_all, " attempts are under way at once"));
  if (const auto mine = node.under_way[post.url]; mine > config_.webhook_window)
    all_.break_(text_of(mine, " attempts are under way to ", row->second.to.value, " at once"));
}

/// The post is the event, goes to the destination's current address, and is signed with its current secrets.
void delivery_promises::check_post(const delivery& row, const outgoing_post& post, time_point now) {
  const auto& event = rows_.timelines.at(testing::memory_store::id(row.subject)).at(row.event_seq);
  const auto [first, fresh] = bodies_.try_emplace(row.id, post.body);
  if (first->second != post.body) all_.break_(text_of("delivery ", row.id, " is repeated with other bytes"));
  const event_record reported{event.event_id,  row.subject,       event.seq,
                              event.operation, event.occurred_at, event.event_data};
  const bool partial = history_.at(row.id).front().partial;
  if (fresh && encoder_.envelope(reported, destination_kind::merchant, entity_id{}, partial) != post.body)
    all_.break_(text_of("delivery ", row.id, " is not what is stored"));
  const auto& to = endpoints_[row.to.value];
  if (to.what.status != destination_status::enabled || to.what.url != post.url)
    all_.break_(
        text_of("delivery ", row.id, " is sent to ", post.url, ", which is not where ", row.to.value, " wants it"));
  if (header(post, "X-Service-Signature") != signature(to, post.body, now))
    all_.break_(text_of("delivery ", row.id, " is not signed by the secrets that ", row.to.value, " has now"));
}

// ---- at rest ------------------------------------------------------------------------------------

bool delivery_promises::anything_pending() const {
  return std::ranges::any_of(rows_.deliveries,
                             [](const auto& row) { return row.second.status == delivery_status::pending; });
}

void delivery_promises::at_rest() {
  const auto check_all = [this](const auto& rows) {
    for (const auto& [key, row] : rows)
      if (const auto timeline = rows_.timelines.find(key); timeline != rows_.timelines.end())
        for (const auto& [seq, entry] : timeline->second)
          if (entry.kind == timeline_kind::event) check_told(row.key, entry);
  };
  check_all(rows_.payments);
  check_all(rows_.subscriptions);
  for (const auto& [number, row] : rows_.deliveries) {
    if (row.status != delivery_status::delivered)
      all_.break_(text_of("delivery ", number, " is ", to_string(row.status), " for ever"));
    if (!received_.contains(number)) all_.break_(text_of("delivery ", number, " never arrives"));
  }
}

}  // namespace gateway::simulation
