// A merchant's subscriptions. A cancel goes to the subscription's actor as from the API, with the form's key.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "form_key.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/domain/cycle_payment.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "gateway/messages/customer_key.hpp"
#include "gateway/ports/store/search_questions.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/decode.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/portal/member_page.hpp"
#include "http/portal/page_forms.hpp"
#include "http/status.hpp"
#include "subscriptions_view.hpp"

namespace gateway::http {
namespace {

std::string price_of(const subscription_projection& state) {
  const auto& every = state.every;
  const std::string interval{to_string(every.interval)};
  auto text = amount_text(state.amount);
  if (every.count <= 1) return text + " each " + interval;
  return text + " every " + std::to_string(every.count) + ' ' + interval + 's';
}

subscription_row row_of_subscription(const call& c, const subscription& each) {
  subscription_row row;
  row.subscription_id = each.key.id;
  row.price = price_of(each.state);
  row.customer = each.details.customer_ref;
  row.status = each.state.status;
  row.period_end = shown_day(c, each.state.period_end);
  row.created_at = shown_minute(c, each.created_at);
  return row;
}

/// The subscription of the page, or the page to show.
boost::asio::awaitable<std::variant<subscription_ptr, response>> read_subscription(call& c) {
  if (!is_subscription_id(c.path.id)) co_return error_page(page_error::nothing_here);
  find_entity query{subscription_key(c.visit->who->id, c.visit->env, std::string{c.path.id})};
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  const auto* row = found->found ? std::get_if<subscription_ptr>(&*found->found) : nullptr;
  if (!row) co_return error_page(page_error::nothing_here);
  co_return *row;
}

// ---- display ---------------------------------------------------------------------------------------

std::optional<std::int64_t> whole_in(const boost::json::value& data, std::string_view name) {
  const auto* object = data.if_object();
  const auto* member = object ? object->if_contains(name) : nullptr;
  const auto* number = member ? member->if_int64() : nullptr;
  return number ? std::optional{*number} : std::nullopt;
}

std::string words_in(const boost::json::value& data, std::string_view name) {
  const auto* object = data.if_object();
  const auto* member = object ? object->if_contains(name) : nullptr;
  const auto* text = member ? member->if_string() : nullptr;
  return text ? std::string{*text} : std::string{};
}

/// Each look-up is one read of an index. Older cycles are listed without their payments.
constexpr std::size_t most_linked_cycles = 50;

struct billed_cycle {
  subscription_cycle shown;
  std::string payment_event;  ///< the event of the cycle's payment, from the same notification; may be empty
};

/// The cycle that a timeline event reports; nullopt if it reports none.
std::optional<billed_cycle> cycle_of(const call& c, provider_kind provider, const timeline_entry& entry) {
  const auto type = entry.kind == timeline_kind::event ? parse_event_type(entry.operation) : std::nullopt;
  const bool paid = type == event_type::subscription_invoice_paid;
  if (!paid && type != event_type::subscription_invoice_failed) return std::nullopt;
  boost::system::error_code wrong;
  const auto data = boost::json::parse(entry.event_data, wrong);
  billed_cycle billed;
  auto& cycle = billed.shown;
  cycle.at = shown(c, entry.occurred_at);
  cycle.paid = paid;
  if (wrong) return billed;
  const auto unit = currency::parse(words_in(data, "currency"));
  const auto minor = whole_in(data, "amount");
  if (unit && minor) cycle.amount = amount_text({*minor, *unit});
  cycle.period_start = shown_day(c, parse_seconds(words_in(data, "period_start")));
  cycle.period_end = shown_day(c, parse_seconds(words_in(data, "period_end")));
  const auto source = words_in(data, "source_event_id");
  // A cycle that costs nothing has no payment.
  if (!source.empty() && minor.value_or(0) > 0)
    billed.payment_event = cycle_event_id(provider, paid ? cycle_result::paid : cycle_result::failed, source);
  return billed;
}

/// Fills the timeline, and returns the cycles in it, newest first.
std::vector<billed_cycle> tell_timeline(const call& c, subscription_view& view, provider_kind provider,
                                        const std::vector<timeline_entry>& entries) {
  std::vector<billed_cycle> cycles;
  for (const auto& each : entries) {
    view.timeline.push_back({shown(c, each.occurred_at), each.operation, each.status, each.error_code, each.message});
    if (auto cycle = cycle_of(c, provider, each)) cycles.push_back(*std::move(cycle));
  }
  std::ranges::reverse(cycles);
  return cycles;
}

/// Adds the payments to the newest cycles. nullopt if the store does not answer.
boost::asio::awaitable<std::optional<std::vector<subscription_cycle>>> find_cycle_payments(
    call& c, std::vector<billed_cycle> cycles) {
  std::vector<subscription_cycle> shown;
  for (auto& each : cycles) {
    if (shown.size() < most_linked_cycles && !each.payment_event.empty()) {
      find_events_by_id query{each.payment_event};
      auto asking = ask(c.here, std::move(query));
      const auto found = co_await std::move(asking);
      if (!found) co_return std::nullopt;
      // Other merchants' events may have the same id.
      for (const auto& event : found->events)
        if (event.subject.kind == entity_kind::payment && event.subject.merchant == c.visit->who->id &&
            event.subject.env == c.visit->env)
          each.shown.payment_id = event.subject.id;
    }
    shown.push_back(std::move(each.shown));
  }
  co_return shown;
}

bool can_be_cancelled(const subscription& s) {
  return !is_final(s.state.status) && s.state.status != subscription_status::failed;
}

subscription_view view_of(const call& c, const subscription& subject) {
  subscription_view view;
  view.frame = frame_of(c, member_place::subscriptions);
  view.of = row_of_subscription(c, subject);
  if (!subject.provider_subscription_id.empty())
    view.event_id = public_subscription_id(subject.key.merchant, subject.provider_subscription_id);
  view.description = subject.details.description;
  view.customer_id =
      customer_key(subject.key.merchant, subject.key.env, subject.platform, subject.details.customer_ref).id;
  const auto platform = c.here.shared.merchants.find_platform(subject.platform);
  view.platform = platform ? platform->name : subject.platform.value;
  view.provider = traits_of(subject.provider).display_name;
  view.provider_id = subject.provider_subscription_id;
  if (const auto days = subject.details.trial_period_days; days > 0)
    view.trial = std::to_string(days) + (days == 1 ? " day" : " days");
  view.period_start = shown_day(c, subject.state.period_start);
  view.cancel_at = shown(c, subject.state.cancel_at);
  view.canceled_at = shown(c, subject.state.canceled_at);
  if (machine::awaits_customer(subject)) view.checkout_url = subject.hosted_url;
  if (subject.error) view.failure = subject.error->message.empty() ? subject.error->code : subject.error->message;
  view.metadata = subject.state.metadata;
  if (can_be_cancelled(subject)) view.cancel = cancel_form{key_of_form(subject.key.id, subject.version, "cancel"), {}};
  return view;
}

/// `fault` says why the subscription was not cancelled; the form then keeps its key, so that it repeats the same
/// request.
boost::asio::awaitable<response> subscription_screen(call& c, subscription_ptr subject, std::string fault) {
  find_timeline query{subject->key};
  auto asking = ask(c.here, std::move(query));
  const auto past = co_await std::move(asking);
  if (!past) co_return error_page(page_error::busy);
  auto view = view_of(c, *subject);
  auto cycles = tell_timeline(c, view, subject->provider, past->entries);
  auto linking = find_cycle_payments(c, std::move(cycles));
  auto linked = co_await std::move(linking);
  if (!linked) co_return error_page(page_error::busy);
  view.cycles = *std::move(linked);
  if (fault.empty()) co_return subscription_page(view);
  if (view.cancel)
    *view.cancel = {c.visit->sent.text("key"), std::move(fault)};
  else
    view.frame.fault = std::move(fault);
  co_return refused_form(subscription_page(view));
}

// ---- cancel ----------------------------------------------------------------------------------------

constexpr std::string_view cancel_unknown =
    "It is not known whether it was cancelled. Pressing the button again is safe: it repeats the same request.";

/// Empty if the subscription was cancelled.
std::string why_not_cancelled(const caf::expected<entity_reply>& reply) {
  if (!reply) return std::string{cancel_unknown};
  if (const auto* why = std::get_if<problem>(&reply->what)) {
    const auto& row = row_of(code_of(*why));
    if (status::is_server_error(row.status)) return std::string{cancel_unknown};
    return row.message.empty() ? std::string{row.text} + '.' : std::string{row.message};
  }
  const auto* done = std::get_if<finished>(&reply->what);
  if (!done) return std::string{cancel_unknown};
  if (status::is_success(done->result->status)) return {};
  boost::system::error_code wrong;
  const auto error = words_in(boost::json::parse(done->result->body, wrong), "error");
  if (error == row_of(code_of(subscription_problem::cancel_rejected)).text)
    return "The provider refused to cancel it. It goes on as before.";
  return std::string{cancel_unknown};
}

}  // namespace

boost::asio::awaitable<response> show_subscriptions(call& c) {
  subscriptions_view view;
  view.frame = frame_of(c, member_place::subscriptions);
  // Subscriptions exist only in live mode.
  if (c.visit->env == environment::test) co_return subscription_list_page(view);
  find_subscriptions query{c.visit->who->id};
  query.limit = rows_of_a_page + 1;
  if (const auto at = read_cursor(parameter(query_of(c.in), "cursor"))) query.after = at->second;
  view.at_first = query.after.empty();
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return error_page(page_error::busy);
  for (const auto& each : found->subscriptions) {
    if (view.rows.size() == rows_of_a_page) {
      view.further = make_cursor(0, view.rows.back().subscription_id);
      break;
    }
    view.rows.push_back(row_of_subscription(c, *each));
  }
  co_return subscription_list_page(view);
}

boost::asio::awaitable<response> show_subscription_of_merchant(call& c) {
  auto reading = read_subscription(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto showing = subscription_screen(c, std::get<subscription_ptr>(found), {});
  co_return co_await std::move(showing);
}

boost::asio::awaitable<response> act_on_subscription(call& c) {
  const auto& sent = c.visit->sent;
  auto reading = read_subscription(c);
  auto found = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto key = decode_idempotency_key(sent.text("key"));
  const auto* key_text = std::get_if<std::string>(&key);
  if (!key_text || sent.text("action") != "cancel") co_return error_page(page_error::malformed_form);

  entity_request wanted{std::get<subscription_ptr>(found)->key, std::nullopt,
                        subscription_command{cancel_subscription{}}};
  wanted.write = idempotency{{c.visit->who->id, c.visit->env, c.visit->person.who.user.value, *key_text},
                             crypto::hex(crypto::sha256("cancel\n" + c.visit->page))};
  wanted.note = std::make_shared<const save_audit>(note_of(c, "cancel subscription", c.path.id));
  auto cancelling = ask(c, std::move(wanted));
  const auto reply = co_await std::move(cancelling);
  auto fault = why_not_cancelled(reply);
  if (fault.empty()) co_return redirect_after_success(c, "cancel-subscription");
  auto again = read_subscription(c);
  auto now = co_await std::move(again);
  if (std::holds_alternative<response>(now)) co_return error_page(page_error::unknown_outcome);
  auto showing = subscription_screen(c, std::get<subscription_ptr>(now), std::move(fault));
  co_return co_await std::move(showing);
}

}  // namespace gateway::http
