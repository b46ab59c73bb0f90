#include "subscription.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "customer_texts.hpp"
#include "http/call/reply.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "sandbox.hpp"
#include "shown_price.hpp"

namespace gateway::http {
namespace {

using page_subject = std::variant<subscription_ptr, page_error>;

/// The subscription that the link names, or the error to show.
boost::asio::awaitable<page_subject> subject_of(call& c, hosted_link link) {
  auto op = ask(c, entity_request{link.key, std::nullopt, view_entity{}});
  auto reply = co_await std::move(op);
  if (!reply) co_return page_error::busy;
  auto* row = std::get_if<entity_row>(&reply->what);
  if (!row) {
    const auto* why = std::get_if<problem>(&reply->what);
    const bool unknown = why && *why == problem::subscription_not_found;
    co_return unknown ? page_error::unknown_page : page_error::busy;
  }
  auto subject = std::get<subscription_ptr>(std::move(*row));
  if (subject->checkout_session_id != link.provider_ref) co_return page_error::closed_page;
  co_return subject;
}

/// Nothing if the sandbox did not answer; otherwise whether the customer has the subscription now.
boost::asio::awaitable<std::optional<bool>> act_at_sandbox(call& c, hosted_link link, enrollment_command what) {
  entity_request acted{enrollment_of(link.key, link.provider_ref), std::nullopt, std::move(what)};
  auto op = ask(c, std::move(acted));
  const auto reply = co_await std::move(op);
  const auto* row = reply ? std::get_if<entity_row>(&reply->what) : nullptr;
  if (!row) co_return std::nullopt;
  co_return std::get<enrollment_ptr>(*row)->what.newest.sequence > 0;
}

/// The page of a checkout that no longer waits: the customer has subscribed, or can no longer.
response closed_checkout_page(const subscription& subject, const checkout_view& seen) {
  auto page = customer_error(page_error::closed_page, seen);
  const auto status = subject.state.status;
  const bool subscribed =
      subject.activated && (status == subscription_status::active || status == subscription_status::trialing);
  if (!subscribed && subject.details.cancel_url.empty()) return page;
  customer_notice what{
      std::string{say(seen.reads, subscribed ? customer_text::subscribed : customer_text::closed)},
      std::string{say(seen.reads, subscribed ? customer_text::has_subscribed : customer_text::subscription_closed)}};
  what.good = subscribed;
  what.amount = subscribed ? shown_price(seen.reads, subject.state.amount) : std::string{};
  what.url = subscribed ? subject.details.success_url : subject.details.cancel_url;
  auto shown = customer_notice_page(what, seen);
  if (!subscribed) shown.status = page.status;
  return shown;
}

/// Whether the page is for a cycle that needs its customer. The checkout was paid before.
bool needs_approval(const subscription& subject) { return !action_url_of(subject).empty(); }

}  // namespace

entity_key enrollment_of(const entity_key& subscription, std::string_view checkout_session_id) {
  constexpr std::string_view prefix = "cs_";
  if (checkout_session_id.starts_with(prefix)) checkout_session_id.remove_prefix(prefix.size());
  return enrollment_key(subscription.merchant, subscription.env, checkout_session_id);
}

boost::asio::awaitable<response> show_subscription_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_subscription_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  auto looking = subject_of(c, *link);
  const auto looked = co_await std::move(looking);
  auto viewing = view_for(c, link->key.merchant);
  const auto seen = co_await std::move(viewing);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  const auto& subject = *std::get<subscription_ptr>(looked);
  const bool for_cycle = needs_approval(subject);
  if (!for_cycle && decide(subject, checkout_choice::pay, shared.clock.now()) == checkout_verdict::closed)
    co_return closed_checkout_page(subject, seen);
  const auto what = for_cycle ? cycle_approval_of(subject, seen.reads) : checkout_of(subject, seen.reads);
  co_return checkout_page(what, seen, visitor_of(c));
}

boost::asio::awaitable<response> act_on_subscription_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_subscription_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  const auto sent = read_form(c.in);
  if (!is_genuine_checkout(c, sent)) co_return customer_error(page_error::stale_form, plain_view(c.in));
  const bool by_card = is_card_form(sent);
  const auto action = by_card ? std::optional{hosted_action::pay} : parse_hosted_action(sent.text("action"));
  if (!action) co_return customer_error(page_error::incomplete_form, plain_view(c.in));
  auto looking = subject_of(c, *link);
  const auto looked = co_await std::move(looking);
  auto viewing = view_for(c, link->key.merchant);
  const auto seen = co_await std::move(viewing);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  const auto& subject = *std::get<subscription_ptr>(looked);

  const bool pays = *action == hosted_action::pay;
  if (needs_approval(subject)) {
    if (by_card) co_return customer_error(page_error::incomplete_form, seen);
    if (*action == hosted_action::cancel) co_return after_checkout(subject, false);
    auto approving = act_at_sandbox(c, *link, enrollment_command{approve_enrollment{!pays}});
    const auto answered = co_await std::move(approving);
    co_return answered ? after_checkout(subject, pays) : customer_error(page_error::busy, seen);
  }
  const bool closed = decide(subject, pays ? checkout_choice::pay : checkout_choice::decline, shared.clock.now()) ==
                      checkout_verdict::closed;
  // Paying twice, on two pages or by a second click, counts as paid.
  if (closed && !(pays && subject.activated)) co_return closed_checkout_page(subject, seen);
  if (!pays) co_return after_checkout(subject, false);
  if (by_card && !closed)
    if (auto refused = refused_card_page(c, sent, checkout_of(subject, seen.reads), seen))
      co_return *std::move(refused);
  auto paying = act_at_sandbox(c, *link, enrollment_command{pay_enrollment{}});
  const auto made = co_await std::move(paying);
  if (!made) co_return customer_error(page_error::busy, seen);
  if (!*made) co_return closed_checkout_page(subject, seen);
  co_return after_checkout(subject, true);
}

}  // namespace gateway::http
