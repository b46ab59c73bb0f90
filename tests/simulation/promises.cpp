#include "promises.hpp"

#include <algorithm>
#include <array>

#include "fault_rates.hpp"
#include "steps.hpp"
#include "subscriptions.hpp"
#include "text_of.hpp"

namespace gateway::simulation {

namespace {

/// The longest time from the moment at which a read saw the rows to the call that its actor makes because of them. The
/// node may pause in between.
constexpr duration_ms slowest_read = std::chrono::seconds{10} + longest_node_pause;

/// The legal transitions of a payment, except for what its provider causes (steps.hpp).
bool legal(payment_state from, payment_state to) {
  using enum payment_state;
  if (from == to) return true;
  switch (from) {
    case created: return to == processing || to == authorized || to == captured || to == failed;
    case processing: return to == authorized || to == captured || to == failed;
    case authorized: return to == captured || to == voided;
    case captured: return to == partially_refunded || to == refunded;
    case partially_refunded: return to == refunded;
    case refunded:
    case failed:
    case voided: return false;
  }
  return false;
}

/// The type of the event for a change; empty if there is none.
std::string event_of(const payment& from, const payment& to) {
  const bool reports = to.state != from.state || to.refunded != from.refunded;
  if (!reports || to.state == payment_state::processing || to.state == payment_state::authorized) return {};
  return text_of("payment.", to_string(to.state));
}

}  // namespace

void promises::break_(std::string why) {
  if (broken_) return;
  log_.write("BROKEN", why);
  broken_ = std::move(why);
}

const payment* promises::row_of(const entity_key& key) const {
  const auto row = rows_.payments.find(testing::memory_store::id(key));
  return row == rows_.payments.end() ? nullptr : &row->second;
}

// ---- rows ---------------------------------------------------------------------------------------

void promises::committed(const std::optional<payment>& before, const testing::unit_parts& unit) {
  if (subscription_promises::charges_cycle(unit)) {
    const auto& row = *unit.changed();
    history_[testing::memory_store::id(row.key)].emplace(row.version, *row_of(row.key));
    return;
  }
  if (const auto& fresh = unit.insert_payment) {
    if (fresh->version != 1 || fresh->state != payment_state::created || !fresh->open)
      break_(text_of(fresh->key.id, " begins as something other than a created payment with its creation open"));
    if (!unit.insert_command) break_(text_of(fresh->key.id, " begins without its idempotency key"));
  }
  if (unit.update_payment && before) check_change(*before, *unit.update_payment, unit);
  if (unit.insert_command && unit.insert_command->result) check_conclusion(before, *unit.insert_command);
  const auto* row = unit.changed();
  if (row && before && before->open && !row->open)
    over_since_.try_emplace({testing::memory_store::id(row->key), before->open->claim}, time_.now());
  const auto version = row ? row->version : before ? before->version : 0;
  if (unit.finish_command) settled_at_[unit.finish_command->key.key] = version;
  if (unit.insert_command && unit.insert_command->result) settled_at_[unit.insert_command->key.key] = version;
  if (row && unit.insert_command && !unit.insert_command->result)
    uses_[{testing::memory_store::id(row->key), row->version}] = expired_[unit.insert_command->key.key].size();
  if (row) {
    history_[testing::memory_store::id(row->key)].emplace(row->version, *row_of(row->key));
    if (row->refunded > row->captured) break_(text_of(row->key.id, ": more is refunded than was captured"));
    const bool begins = before && !before->open && row->open;
    if (begins && row->open->what == operation::refund && machine::disputed(*before) > 0)
      break_(text_of(row->key.id, ": a refund begins while the payment is disputed"));
  }
}

void promises::lost_alone(const std::optional<payment>& before, const testing::unit_parts& unit) {
  const auto& claimed = unit.update_payment;
  if (claimed && before && claimed->version != before->version + 1)
    break_(text_of("the only node claims version ", claimed->version, " of ", before->key.id, ", which stands at ",
                   before->version));
}

void promises::check_change(const payment& from, const payment& to, const testing::unit_parts& unit) {
  const auto& id = to.key.id;
  if (to.version != from.version + 1) break_(text_of(id, " goes from version ", from.version, " to ", to.version));
  if (!is_caused_by_provider(unit))
    check_step(from, to, unit.entries);
  else if (const auto fault = fault_of_steps(from, to, unit))
    break_(text_of(id, ' ', *fault));
  const bool all_back = to.captured > 0 && to.refunded == to.captured;
  const bool nothing_left = to.refunded > 0 && machine::remaining(to) == 0;  // a part may have been lost in a dispute
  if (to.state == payment_state::refunded ? !nothing_left : all_back)
    break_(text_of(id, " is ", to_string(to.state), ", with ", to.refunded, " of ", to.captured, " refunded"));
  if (to.next_seq != from.next_seq + unit.entries.size()) break_(text_of(id, ": its timeline has a gap"));
  if (from.open && to.open && to.open->claim != from.open->claim)
    break_(text_of(id, ": an open operation is replaced by another"));
  if (!from.open && to.open && to.state != from.state)
    break_(text_of(id, " changes its state before its provider is called"));
}

/// A change that the provider did not cause makes one step.
void promises::check_step(const payment& from, const payment& to, const std::vector<timeline_entry>& entries) {
  const auto& id = to.key.id;
  if (!legal(from.state, to.state))
    break_(text_of(id, " goes from ", to_string(from.state), " to ", to_string(to.state)));
  if (to.refunded < from.refunded || to.captured < from.captured) break_(text_of(id, ": an amount shrinks"));
  const auto wanted = event_of(from, to);
  const auto reported = std::ranges::count(entries, timeline_kind::event, &timeline_entry::kind);
  const auto fits = std::ranges::count_if(
      entries, [&](const timeline_entry& e) { return e.kind == timeline_kind::event && e.operation == wanted; });
  if (reported != (wanted.empty() ? 0 : 1) || fits != reported)
    break_(text_of(id, " becomes ", to_string(to.state), " with ", reported, " events, not with one ", wanted));
}

/// A result stored without calling the provider must be what the row says at that moment.
void promises::check_conclusion(const std::optional<payment>& before, const command_record& command) {
  if (!before) return break_(text_of("a result is stored for ", command.subject_id, ", which does not exist"));
  if (before->open && !before->open->answered)
    return break_(text_of(command.subject_id, " takes key ", command.key.key, " while its ",
                          to_string(before->open->what), " is open and its client not told"));
  const auto decided = [&]() -> decision {
    switch (parse_operation(command.operation).value_or(operation::create)) {
      case operation::capture:
        return decide(*before, capture_payment{command.amount}, command.key, command.created_at, {});
      case operation::refund:
        return decide(*before, refund_payment{command.amount, {}}, command.key, command.created_at, {});
      case operation::cancel: return decide(*before, cancel_payment{}, command.key, command.created_at, {});
      default: return decide(*before, void_payment{}, command.key, command.created_at, {});
    }
  }();
  const auto* concluded = std::get_if<conclusion>(&decided);
  if (!concluded)
    return break_(text_of("\"", command.result->body, "\" is stored for key ", command.key.key, ", but ",
                          command.subject_id, " is ", to_string(before->state), " and would take it"));
  const auto wanted = encoder_.encode(concluded->result);
  if (wanted != *command.result)
    break_(text_of("\"", command.result->body, "\" is stored for key ", command.key.key, ", but ", command.subject_id,
                   " says \"", wanted.body, "\""));
}

// ---- provider -----------------------------------------------------------------------------------

void promises::provider_called(const provider_call& call) {
  const auto& id = call.subject.key.id;
  const auto& open = call.subject.open;
  if (!open) return break_(text_of("the provider is called for ", id, " with no operation open"));
  // The committed claim is the intent. It remains so after its key was purged and its row has changed.
  const auto row = testing::memory_store::id(call.subject.key);
  const auto& past = history_[row];
  const auto begun = past.find(open->claim);
  if (begun == past.end() || !begun->second.open)
    return break_(
        text_of("the provider is called for ", id, " (", to_string(call.what), ") before the intent is durable"));
  const auto& intent = *begun->second.open;
  const auto done = machine::creates(intent.what) ? operation::create : intent.what;
  if (intent.claim != open->claim || intent.command != open->command || done != call.what ||
      intent.amount != call.amount)
    break_(text_of("the provider is called for ", id, " with something other than what was begun"));
  if (const auto over = over_since_.find({row, open->claim});
      over != over_since_.end() && time_.now() - over->second > slowest_read)
    break_(text_of("the provider is asked for the ", to_string(call.what), " of ", id, ' ',
                   (time_.now() - over->second).count(), " ms after it was over, and may have forgotten its key"));
  const auto [known, fresh] = provider_keys_.try_emplace({row, open->claim}, call.provider_key);
  if (known->second != call.provider_key) break_(text_of(id, ": one operation reaches the provider under two keys"));
}

std::size_t promises::use_of(const provider_effect& effect) const {
  const auto use = uses_.find({testing::memory_store::id(effect.subject), effect.claim});
  return use == uses_.end() ? 0 : use->second;
}

void promises::provider_acted(provider_effect effect) {
  const auto& id = effect.subject.id;
  std::int64_t refunded = effect.what == operation::refund ? effect.amount : 0;
  bool captured = effect.what == operation::capture, voided = effect.what == operation::void_payment;
  for (const auto& past : effects_) {
    if (past.subject != effect.subject) continue;
    // A purged key is another command at its next use, even if the provider executes the first only then.
    if (past.command == effect.command && use_of(past) == use_of(effect))
      return break_(text_of("key ", effect.command, " makes the provider ", to_string(effect.what), ' ', id, " twice"));
    if (past.what == effect.what && effect.what != operation::refund)
      return break_(text_of("the provider does ", to_string(effect.what), ' ', id, " twice"));
    if (past.what == operation::refund) refunded += past.amount;
    captured |= past.what == operation::capture;
    voided |= past.what == operation::void_payment;
  }
  if (captured && voided) break_(text_of("the provider captures and voids ", id));
  // The amount of a failed refund can be refunded again.
  if (const auto back = came_back_.find(testing::memory_store::id(effect.subject)); back != came_back_.end())
    refunded -= back->second;
  if (const auto* row = row_of(effect.subject); row && refunded > row->captured)
    break_(text_of("the provider refunds ", refunded, " of ", id, ", of which ", row->captured, " was captured"));
  effects_.push_back(std::move(effect));
}

// ---- clients ------------------------------------------------------------------------------------

void promises::asked(const entity_request& request) {
  fingerprints_[request.write->key.key].insert(request.write->fingerprint);
}

void promises::reported(const entity_request& request, const entity_reply& reply, std::size_t asked_at) {
  if (const auto* result = std::get_if<finished>(&reply.what)) return check_stored(request, *result);
  if (const auto* seen = std::get_if<entity_row>(&reply.what))
    return check_seen(*std::get<payment_ptr>(*seen), asked_at);
  if (const auto* timeline = std::get_if<timeline_ptr>(&reply.what)) {
    const auto& rows = rows_.timelines.find(testing::memory_store::id((*timeline)->key));
    for (const auto& entry : (*timeline)->entries)
      if (rows == rows_.timelines.end() || !rows->second.contains(entry.seq) || rows->second.at(entry.seq) != entry)
        return break_(text_of("a timeline of ", request.key.id, " shows what is not stored"));
    return;
  }
  const auto why = std::get<problem>(reply.what);
  const auto known = std::any_of(acknowledged_.begin(), acknowledged_.begin() + static_cast<std::ptrdiff_t>(asked_at),
                                 [&](const acknowledgement& a) { return a.subject == request.key; });
  if (why == problem::payment_not_found && known)
    break_(text_of(request.key.id, " is told not to exist, after a client was given its result"));
  if (why == problem::payment_already_exists && !row_of(request.key))
    break_(text_of(request.key.id, " is told to exist, and does not"));
  if (why == problem::idempotency_key_reused && fingerprints_[request.write->key.key].size() < 2)
    break_(text_of("key ", request.write->key.key, " is told to be reused, and was not"));
}

void promises::check_stored(const entity_request& request, const finished& result) {
  const auto& key = request.write->key;
  const auto row = rows_.commands.find(testing::memory_store::id(key));
  const result_told now{request.write->fingerprint, *result.result};
  // An actor may keep an answer in memory for a while longer than the store.
  if (const auto old = expired_.find(key.key);
      old != expired_.end() && std::ranges::find(old->second, now) != old->second.end())
    return;
  if (row == rows_.commands.end() || !row->second.result)
    return break_(
        text_of("a client is told \"", result.result->body, "\" for key ", key.key, ", and nothing is stored"));
  if (*row->second.result != *result.result)
    break_(text_of("a client is told \"", result.result->body, "\" for key ", key.key, ", and \"",
                   row->second.result->body, "\" is stored"));
  if (row->second.fingerprint != request.write->fingerprint)
    break_(text_of("key ", key.key, " answers another request than the one it was used for"));
  const auto [answered_before, fresh] = results_.try_emplace(key.key, now);
  if (answered_before->second.bytes != *result.result)
    break_(text_of("key ", key.key, " was answered \"", answered_before->second.bytes.body, "\" and now \"",
                   result.result->body, "\""));
  // From now on no view may show the payment as it was before the commit that stored this result.
  if (const auto settled = settled_at_.find(key.key); fresh && settled != settled_at_.end())
    acknowledged_.push_back({request.key, settled->second});
}

void promises::check_seen(const payment& seen, std::size_t asked_at) {
  const auto& past = history_[testing::memory_store::id(seen.key)];
  const auto moment = past.find(seen.version);
  if (moment == past.end() || moment->second != seen)
    return break_(text_of("a look at ", seen.key.id, " shows what was never stored"));
  // On all nodes: no view is older than a result that was answered before it.
  for (std::size_t i = 0; i < asked_at; ++i)
    if (acknowledged_[i].subject == seen.key && acknowledged_[i].version > seen.version)
      return break_(text_of("a look at ", seen.key.id, " shows version ", seen.version, ", after a result of version ",
                            acknowledged_[i].version, " was told"));
}

void promises::key_expires(const command_key& key) {
  const auto& row = rows_.commands.at(testing::memory_store::id(key));
  expired_[key.key].push_back({row.fingerprint, *row.result});
  results_.erase(key.key);
  settled_at_.erase(key.key);
}

// ---- at rest ------------------------------------------------------------------------------------

bool promises::anything_open() const {
  return std::ranges::any_of(rows_.payments, [](const auto& row) { return row.second.open.has_value(); }) ||
         std::ranges::any_of(rows_.commands, [](const auto& row) { return !row.second.result.has_value(); });
}

void promises::seen_at_rest(const payment& seen, std::int64_t asked_at) {
  // A checkout may expire between the request and its answer: the view then shows the older row or the newer one.
  const auto& past = history_[testing::memory_store::id(seen.key)];
  const auto moment = past.find(seen.version);
  if (moment == past.end() || moment->second != seen || seen.version < asked_at)
    break_(text_of(seen.key.id, " is shown at version ", seen.version, " for ever, and stands at ", asked_at));
}

void promises::at_rest() {
  for (const auto& [key, row] : rows_.payments) {
    if (row.open) break_(text_of(row.key.id, ": its ", to_string(row.open->what), " stays open for ever"));
    check_effects(row, subscription_promises::is_cycle(row.key));
    const auto timeline = rows_.timelines.find(key);
    const auto length = timeline == rows_.timelines.end() ? 0 : timeline->second.size();
    if (length + 1 != row.next_seq) break_(text_of(row.key.id, ": entries of its timeline are missing"));
  }
  for (const auto& [key, row] : rows_.commands)
    if (!row.result)
      break_(text_of("key ", row.key.key, " (", row.operation, ' ', row.subject_id, ") never gets a result"));
  for (const auto& effect : effects_)
    if (!row_of(effect.subject))
      break_(text_of("the provider has acted on ", effect.subject.id, ", which does not exist"));
  for (const auto& [key, reported] : results_) {
    const bool kept = std::ranges::any_of(rows_.commands, [&](const auto& row) {
      return row.second.key.key == key && row.second.result == reported.bytes;
    });
    if (!kept) break_(text_of("the result told for key ", key, " is not in the store"));
  }
  check_totals();
  check_ledger();
}

/// The row is what the calls have done at the provider. What else has happened at a provider other than the gateway's
/// own is checked by provider_promises.
void promises::check_effects(const payment& row, bool of_cycle) {
  std::int64_t given_back = 0, taken = 0;
  std::array<unsigned, 5> count{};
  for (const auto& effect : effects_) {
    if (effect.subject != row.key) continue;
    ++count[static_cast<std::size_t>(effect.what)];
    if (effect.what == operation::refund) given_back += effect.amount;
    if (effect.what == operation::capture) taken += effect.amount;
  }
  const auto has_done = [&](operation what) { return count[static_cast<std::size_t>(what)] == 1; };
  const bool paid = detail::was_approved(row.state), by_call = has_done(operation::create);
  if (by_call && !paid && !ended_.contains(testing::memory_store::id(row.key)))
    break_(text_of("the provider has charged ", row.key.id, ", which is ", to_string(row.state)));
  if (paid && !by_call && !paid_pages_.contains(testing::memory_store::id(row.key)) && !of_cycle)
    break_(text_of(row.key.id, " is ", to_string(row.state), ", and nobody has paid"));
  if (!traits_of(row.provider).sandbox) return;
  if (given_back != row.refunded)
    break_(text_of("the provider has refunded ", given_back, " of ", row.key.id, ", the payment says ", row.refunded));
  const bool captured_by_call = has_done(operation::capture);
  if (captured_by_call && row.captured != taken)
    break_(text_of("the provider has captured ", taken, " of ", row.key.id, ", the payment says ", row.captured));
  const bool captured_here = row.captured > 0 && row.how == flow::server && !of_cycle;
  if (captured_here && !captured_by_call && machine::captures_separately(row))
    break_(text_of(row.key.id, " is captured here and not at the provider"));
  if (has_done(operation::void_payment) != (row.state == payment_state::voided))
    break_(text_of(row.key.id, ": the void is known on one side only"));
}

/// The daily totals have counted each change of a payment once.
void promises::check_totals() {
  struct sums {
    std::int64_t authorized = 0, captured = 0, refunded = 0;
    bool operator==(const sums&) const = default;
  } counted, stored;
  for (const auto& [key, total] : rows_.totals) {
    if (total.what == daily_counter::authorized) counted.authorized += total.count;
    if (total.what == daily_counter::captured) counted.captured += total.amount.minor;
    if (total.what == daily_counter::refunded) counted.refunded += total.amount.minor;
  }
  for (const auto& [key, row] : rows_.payments) {
    stored.authorized += detail::was_approved(row.state);
    stored.captured += row.captured;
    stored.refunded += row.refunded;
  }
  if (counted != stored)
    break_(text_of("the totals have counted ", counted.authorized, " approved, ", counted.captured, " captured and ",
                   counted.refunded, " refunded, the payments say ", stored.authorized, ", ", stored.captured, " and ",
                   stored.refunded));
  check_totals_by_ledger();
}

/// The totals of each day are the sums of its ledger entries. A refund that failed counts against the refunds.
void promises::check_totals_by_ledger() {
  using day_and_counter = std::pair<std::chrono::sys_days, daily_counter>;
  std::map<day_and_counter, std::pair<std::int64_t, std::int64_t>> counted, entered;
  for (const auto& [key, total] : rows_.totals) {
    if (total.what == daily_counter::authorized) continue;
    auto& [count, minor] = counted[{total.day, total.what}];
    count += total.count;
    minor += total.amount.minor;
  }
  for (const auto& [key, entry] : rows_.ledger) {
    const auto what = counter_of(entry.what);
    if (!what) continue;
    auto& [count, minor] = entered[{std::chrono::floor<std::chrono::days>(entry.at), *what}];
    const auto sign = entry.what == ledger_kind::refund_failed ? -1 : 1;
    count += sign;
    minor += sign * entry.amount.minor;
  }
  for (const auto& [of, sums] : entered) counted.try_emplace(of);
  for (const auto& [of, sums] : counted)
    if (const auto ledger = entered[of]; ledger != sums)
      break_(text_of("a day has ", sums.first, ' ', to_string(of.second), " with ", sums.second, " in its totals, and ",
                     ledger.first, " with ", ledger.second, " in its ledger"));
}

/// The ledger has one entry for each movement of each payment: its sums are the payment's, and add up to zero over all
/// accounts. A failed payment has one further entry, which moves nothing, and so has a lost dispute.
void promises::check_ledger() {
  struct sums {
    std::map<ledger_kind, std::int64_t> minor;
    std::int64_t failures = 0;
    ledger_accounts accounts;
    std::set<std::uint32_t> events;
  };
  std::map<testing::memory_store::entity_row_key, sums> reported;
  for (const auto& [key, entry] : rows_.ledger) {
    auto& of = reported[testing::memory_store::id(entry.payment)];
    of.minor[entry.what] += entry.amount.minor;
    of.failures += entry.what == ledger_kind::failed;
    of.accounts.customer += entry.accounts.customer;
    of.accounts.provider += entry.accounts.provider;
    of.accounts.merchant += entry.accounts.merchant;
    if (sum_of(entry.accounts) != 0) break_(text_of(entry.payment.id, ": an entry of its ledger does not add up"));
    if (!of.events.insert(entry.seq).second)
      break_(text_of(entry.payment.id, ": its ledger has event ", entry.seq, " twice"));
  }
  for (const auto& [key, row] : rows_.payments) {
    auto& of = reported[key];
    const auto captured = of.minor[ledger_kind::captured],
               refunded = of.minor[ledger_kind::refunded] - of.minor[ledger_kind::refund_failed],
               taken = of.minor[ledger_kind::dispute_opened] - of.minor[ledger_kind::dispute_won],
               lost = of.minor[ledger_kind::dispute_lost];
    if (captured != row.captured || refunded != row.refunded)
      break_(text_of(row.key.id, ": its ledger has ", captured, " captured and ", refunded, " refunded, its row ",
                     row.captured, " and ", row.refunded));
    if (taken != taken_of(row) || lost != sum_of(row.records.disputes, is_lost))
      break_(text_of(row.key.id, ": its ledger has ", taken, " taken back and ", lost, " lost, its row ", taken_of(row),
                     " and ", sum_of(row.records.disputes, is_lost)));
    if (of.accounts.customer != row.refunded - row.captured + taken)
      break_(text_of(row.key.id, ": its ledger has changed its customer by ", of.accounts.customer));
    // A failed payment may be paid later.
    const bool has_failed = row.state == payment_state::failed;
    const bool may_have_failed =
        has_failed || row.captured > 0 || (detail::was_approved(row.state) && !traits_of(row.provider).sandbox);
    if (of.failures > (may_have_failed ? 1 : 0) || (has_failed && of.failures != 1))
      break_(
          text_of(row.key.id, " is ", to_string(row.state), ", and has failed ", of.failures, " times in its ledger"));
  }
  if (reported.size() != rows_.payments.size()) break_("the ledger has entries of payments that are not there");
}

}  // namespace gateway::simulation
