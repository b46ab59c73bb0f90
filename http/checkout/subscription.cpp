#include "subscription.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "hosted_page.hpp"
#include "http/call/reply.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "sandbox.hpp"

namespace gateway::http {
namespace {

using page_subject = std::variant<subscription_ptr, response>;

/// The subscription that the link names, or the page to show.
boost::asio::awaitable<page_subject> subject_of(call& c, hosted_link link) {
  auto op = ask(c, entity_request{link.key, std::nullopt, view_entity{}});
  auto reply = co_await std::move(op);
  if (!reply) co_return error_page(page_error::busy);
  auto* row = std::get_if<entity_row>(&reply->what);
  if (!row) {
    const auto* why = std::get_if<problem>(&reply->what);
    const bool unknown = why && *why == problem::subscription_not_found;
    co_return error_page(unknown ? page_error::unknown_page : page_error::busy);
  }
  auto subject = std::get<subscription_ptr>(std::move(*row));
  if (subject->checkout_session_id != link.provider_ref) co_return error_page(page_error::closed_page);
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
  if (!link) co_return error_page(page_error::unknown_page);
  auto looking = subject_of(c, *link);
  auto seen = co_await std::move(looking);
  if (auto* page = std::get_if<response>(&seen)) co_return std::move(*page);
  const auto& subject = *std::get<subscription_ptr>(seen);
  const bool for_cycle = needs_approval(subject);
  if (!for_cycle && decide(subject, checkout_choice::pay, shared.clock.now()) == checkout_verdict::closed)
    co_return error_page(page_error::closed_page);
  auto naming = shop_name(c.here, link->key.merchant);
  const auto shop = co_await std::move(naming);
  const auto shown = for_cycle ? cycle_approval_of(subject, shop) : checkout_of(subject, shop);
  co_return checkout_page(shown, shared.hosted_page_key, c.path.id, c.in.cookie);
}

boost::asio::awaitable<response> act_on_subscription_page(call& c) {
  const auto& shared = c.here.shared;
  const auto link = read_subscription_link(c.path.id, shared.hosted_page_key);
  if (!link) co_return error_page(page_error::unknown_page);
  const auto sent = read_form(c.in);
  if (!is_genuine_checkout(c, sent)) co_return error_page(page_error::stale_form);
  const auto action = parse_hosted_action(sent.text("action"));
  if (!action) co_return error_page(page_error::incomplete_form);
  auto looking = subject_of(c, *link);
  auto seen = co_await std::move(looking);
  if (auto* page = std::get_if<response>(&seen)) co_return std::move(*page);
  const auto& subject = *std::get<subscription_ptr>(seen);

  const bool pays = *action == hosted_action::pay;
  if (needs_approval(subject)) {
    if (*action == hosted_action::cancel) co_return after_checkout(subject, false);
    auto approving = act_at_sandbox(c, *link, enrollment_command{approve_enrollment{!pays}});
    const auto answered = co_await std::move(approving);
    co_return answered ? after_checkout(subject, pays) : error_page(page_error::busy);
  }
  const bool closed = decide(subject, pays ? checkout_choice::pay : checkout_choice::decline, shared.clock.now()) ==
                      checkout_verdict::closed;
  // Paying twice, on two pages or by a second click, counts as paid.
  if (closed && !(pays && subject.activated)) co_return error_page(page_error::closed_page);
  if (!pays) co_return after_checkout(subject, false);
  auto paying = act_at_sandbox(c, *link, enrollment_command{pay_enrollment{}});
  const auto made = co_await std::move(paying);
  if (!made) co_return error_page(page_error::busy);
  if (!*made) co_return error_page(page_error::closed_page);
  co_return after_checkout(subject, true);
}

}  // namespace gateway::http
