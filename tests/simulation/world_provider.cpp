// What a provider other than the gateway's own does by itself in a world, and the quiet day at the world's end.

#include <iterator>
#include <utility>

#include "world.hpp"

namespace gateway::simulation {

using namespace std::chrono_literals;

/// At any moment, whatever the gateway is doing; about half of it is notified. Now and then an operator refreshes a
/// payment.
void world::act_as_provider() {
  time_.in(duration_ms{own_.between(100, 2'000)}, [this] {
    if (calm_ > 0) return;
    act_as_provider();
    if (own_.chance(0.03) && !database_.payments.empty()) {
      auto row = database_.payments.begin();
      std::advance(row, static_cast<std::ptrdiff_t>(own_.below(database_.payments.size())));
      refresh(row->second.key, [](const entity_reply&) {});
    }
    if (!own_.chance(faults_.provider_acts)) return;
    const auto of = acts_.act();
    if (!of || !own_.chance(0.5)) return;
    const auto id = notices_->notify(of);
    // While a payment waits for its customer, a notification only ends the wait.
    const auto row = database_.payments.find(testing::memory_store::id(*of));
    const bool is_compared = row != database_.payments.end() && !awaits_customer(row->second);
    if (is_compared) payments_there_.find(*of)->last_notice = id;
  });
}

/// The provider does nothing more. Whatever was not notified is found without it: an authorized payment is asked about
/// within a day, and the others by an operator's refresh, as after a read of the provider's list of events.
void world::let_a_quiet_day_pass() {
  if (promises_.broken()) return;
  provider_promises_.count_changed();
  sleep(machine::daily_look + 1h);
  // Pages that were closed at the end of that day are asked about once more, an hour later.
  sleep(machine::late_query_pause + 1h);
  const auto is_quiet = [this] {
    return all_up() && unanswered() == 0 && !promises_.anything_open() && subscribed() && all_is_told() &&
           !provider_promises_.anything_due();
  };
  // A comparison that was under way when the day passed has failed, and is repeated within six hours.
  run_until(is_quiet, 8h, "a payment is not compared with its provider within a day");
  if (promises_.broken()) log_.write("world", what_is_not_settled());
  if (!promises_.broken()) provider_promises_.check_without_refresh();
  refresh_payments();
  if (!promises_.broken()) provider_promises_.at_rest();
  provider_promises_.before_second_refresh();
  refresh_payments();
  if (!promises_.broken()) provider_promises_.after_second_refresh();
  if (!promises_.broken()) compare_views_with_rows();
}

void world::refresh(const entity_key& payment, std::function<void(const entity_reply&)> decided) {
  refreshes_.begin(
      "refreshes " + payment.id,
      [payment] { return entity_request{payment, std::nullopt, payment_command{ask_provider{}}}; }, std::move(decided));
}

void world::refresh_payments() {
  if (promises_.broken()) return;
  for (const auto& [key, row] : database_.payments)
    refresh(row.key, [this, id = row.key.id](const entity_reply& reply) {
      if (!std::holds_alternative<entity_row>(reply.what)) promises_.break_("the refresh of " + id + " fails");
    });
  run_until([this] { return refreshes_.done() && unanswered() == 0 && !provider_promises_.anything_due(); }, 1h,
            "a refresh is never answered");
}

}  // namespace gateway::simulation
