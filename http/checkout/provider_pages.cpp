#include "provider_pages.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "customer_page.hpp"
#include "customer_texts.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "hosted_page.hpp"
#include "http/call/reply.hpp"
#include "http/html/forms.hpp"
#include "wallet_page.hpp"

namespace gateway::http {
namespace {

/// A provider that is reached over HTTPS, with its configuration in one environment.
struct configured_provider {
  const provider_adapter* adapter;
  std::shared_ptr<const provider_settings> with;
};

std::optional<configured_provider> find_configured(const services& shared, provider_kind kind, environment env) {
  if (!shared.adapters) return std::nullopt;
  const auto* adapter = (*shared.adapters)[static_cast<std::size_t>(kind)].get();
  auto with = shared.merchants.find_provider(kind, env);
  if (!adapter || !with) return std::nullopt;
  return configured_provider{adapter, std::move(with)};
}

using payment_or_error = std::variant<payment_ptr, page_error>;

/// The payment in the router's reply, or the error to show instead.
payment_or_error payment_in(caf::expected<entity_reply>& reply) {
  if (!reply) return page_error::busy;
  if (auto* row = std::get_if<entity_row>(&reply->what))
    if (auto* subject = std::get_if<payment_ptr>(row)) return std::move(*subject);
  const auto* why = std::get_if<problem>(&reply->what);
  return why && *why == problem::payment_not_found ? page_error::unknown_page : page_error::busy;
}

/// The payment that the post names. Nothing if finding it requires a question to the provider or the store: the stored
/// notification is then applied without the browser.
std::optional<entity_key> payment_named(const configured_provider& provider, const receive_notification& notification,
                                        time_point now) {
  notification_question question;
  question.what.provider = notification.provider;
  question.what.event_id = notification.event_id;
  question.what.type = notification.type;
  question.what.account = notification.account;
  question.what.body = notification.body;
  const auto step = provider.adapter->open(question, *provider.with, now)->next(nullptr);
  const auto* subject = std::get_if<notification_subject>(&step);
  const auto* named = subject ? std::get_if<about_payment>(subject) : nullptr;
  return named ? std::optional{named->key} : std::nullopt;
}

/// A payment that waits for its customer, its form, and its page.
struct open_form {
  payment_ptr subject;
  hosted_form form;
  checkout_view seen;
};

/// The form that the link's token names, or the page to show instead.
boost::asio::awaitable<std::variant<open_form, response>> read_open_form(call& c) {
  auto& shared = c.here.shared;
  const auto key = read_form_link(c.path.id, shared.hosted_page_key);
  if (!key) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  entity_request wanted{*key, std::nullopt, view_entity{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  auto looked = payment_in(reply);
  auto viewing = view_for(c, key->merchant);
  auto seen = co_await std::move(viewing);
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  auto& subject = std::get<payment_ptr>(looked);
  if (!awaits_customer(*subject)) co_return outcome_page(*subject, seen);
  const auto provider = find_configured(shared, subject->provider, key->env);
  if (!provider) co_return customer_error(page_error::busy, seen);
  auto form = provider->adapter->form_of(*subject, *provider->with, shared.clock.now());
  if (!form) co_return customer_error(page_error::closed_page, seen);
  co_return open_form{std::move(subject), *std::move(form), std::move(seen)};
}

}  // namespace

boost::asio::awaitable<response> show_wallet_page(call& c) {
  auto reading = read_open_form(c);
  auto read = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&read)) co_return std::move(*page);
  const auto& [subject, form, seen] = std::get<open_form>(read);
  co_return wallet_page(*subject, seen, form);
}

boost::asio::awaitable<response> pass_on_wallet_form(call& c) {
  auto reading = read_open_form(c);
  auto read = co_await std::move(reading);
  if (auto* page = std::get_if<response>(&read)) co_return std::move(*page);
  auto& [subject, form, seen] = std::get<open_form>(read);
  // Stored before the customer can begin to pay: the provider's statements about the payment count only some time
  // later.
  entity_request sent{subject->key, std::nullopt, hosted_result{hosted_signal::sent, subject->provider_ref}};
  auto sending = ask(c, std::move(sent));
  auto reply = co_await std::move(sending);
  const auto recorded = payment_in(reply);
  if (const auto* error = std::get_if<page_error>(&recorded)) co_return customer_error(*error, seen);
  const auto& now = *std::get<payment_ptr>(recorded);
  if (!awaits_customer(now)) co_return outcome_page(now, seen);
  co_return pass_on_to(std::move(form.action));
}

boost::asio::awaitable<response> return_from_provider(call& c) {
  auto& shared = c.here.shared;
  const auto kind = parse_provider_kind(c.path.merchant);
  const auto env = parse_environment(c.path.mode);
  const auto provider = kind && env ? find_configured(shared, *kind, *env) : std::nullopt;
  if (!provider) co_return customer_error(page_error::unknown_page, plain_view(c.in));
  const auto no_header = [](std::string_view) { return std::optional<std::string_view>{}; };
  const incoming_notification brought{c.in.body, no_header, c.in.content_type.value_or(std::string_view{})};
  const auto now = shared.clock.now();
  const auto notification = provider->adapter->verify(brought, *provider->with, *env, now);
  const auto* genuine = std::get_if<receive_notification>(&notification);
  if (!genuine) co_return customer_error(page_error::doubtful_return, plain_view(c.in));
  const auto key = payment_named(*provider, *genuine, now);

  // Stored first: if anything fails after this, it is applied without the browser.
  entity_request kept{notification_key(genuine->provider, *env, genuine->event_id), std::nullopt, *genuine};
  auto keeping = ask(c, std::move(kept));
  const auto stored = co_await std::move(keeping);
  if (!stored || std::holds_alternative<problem>(stored->what))
    co_return customer_error(page_error::busy, plain_view(c.in));
  if (!key) co_return customer_error(page_error::doubtful_return, plain_view(c.in));

  entity_request wanted{*key, std::nullopt, ask_provider{}};
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  const auto* why = reply ? std::get_if<problem>(&reply->what) : nullptr;
  // The provider is slow or does not report the payment's state. It will be asked again; show what is stored.
  if (!reply || (why && *why == problem::provider_unavailable)) {
    entity_request look{*key, std::nullopt, view_entity{}};
    auto looking = ask(c, std::move(look));
    reply = co_await std::move(looking);
  }
  const auto looked = payment_in(reply);
  auto viewing = view_for(c, key->merchant);
  auto seen = co_await std::move(viewing);
  seen.offers_languages = false;
  if (const auto* error = std::get_if<page_error>(&looked)) co_return customer_error(*error, seen);
  const auto& subject = *std::get<payment_ptr>(looked);
  if (subject.provider != *kind) co_return customer_error(page_error::doubtful_return, plain_view(c.in));
  co_return after_wallet(subject, seen);
}

boost::asio::awaitable<response> show_returned_page(call& c) {
  auto seen = plain_view(c.in);
  // A link to another language would drop what the bank has added to the address.
  seen.offers_languages = false;
  co_return customer_notice_page({std::string{say(seen.reads, customer_text::bank_answered)},
                                  std::string{say(seen.reads, customer_text::bank_tells_shop)}},
                                 seen);
}

}  // namespace gateway::http
