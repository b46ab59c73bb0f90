#include "provider_connection.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/base/log.hpp"
#include "gateway/directory/connected_account.hpp"
#include "http/access/provider_state.hpp"
#include "http/access/setup_link.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "sessions.hpp"

namespace gateway::http {
namespace {

provider_state state_at(const services& shared, environment env, provider_kind kind) {
  return state_of(shared.config, shared.providers, env, kind);
}

/// The provider's idempotency key for making an account: the same for every attempt, and another one after an account
/// was given up.
std::string account_key(const connection_request& what, std::string_view given_up) {
  std::string text{"account"};
  for (const std::string_view part :
       {std::string_view{what.merchant.value}, to_string(what.env), to_string(what.provider), given_up})
    text.append(1, '\n').append(part);
  const auto hash = crypto::sha256(text);
  return "pk_" + crypto::hex(std::span{hash}.first(16));
}

account_question onboarding_question(const services& shared, const connection_request& what, const merchant& who) {
  const auto* at = find_connection(who, what.env, what.provider);
  const onboarding_link link{what.merchant, what.env, what.provider, what.back,
                             shared.clock.now() + account_link_lifetime};
  account_question question;
  question.merchant = what.merchant;
  question.env = what.env;
  question.provider = what.provider;
  if (at) question.account = at->account;
  question.onboards = true;
  question.provider_key = account_key(what, question.account);
  question.merchant_name = who.name;
  question.back_url = shared.base_url + "/v1/public/accounts/" + make_account_token(link, shared.setup_token_key);
  question.again_url = question.back_url + "/again";
  return question;
}

/// Whether the provider has closed the account for good.
bool is_given_up(const account_answer& said) {
  return said.standing == account_standing::restricted && said.url.empty();
}

/// Asks the provider for the account, or for a new one if the provider has closed the known one for good.
boost::asio::awaitable<caf::expected<account_answer>> ask_to_onboard(call& c, connection_request what,
                                                                     account_question question) {
  question.trace = c.in.trace;
  auto asking = ask(c.here, what.provider, question);
  auto said = co_await std::move(asking);
  if (!said || !is_given_up(*said) || question.account.empty()) co_return said;
  question.account.clear();
  auto asking_anew = ask(c.here, what.provider, std::move(question));
  co_return co_await std::move(asking_anew);
}

/// True if the command was executed; false if it was refused, or its outcome is unknown.
boost::asio::awaitable<bool> carry_out_noted(call& c, operator_command wanted, std::optional<save_audit> note) {
  auto asking = note ? ask(c.here, noted_command{std::move(wanted), *std::move(note)}) : ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  co_return reply && !std::holds_alternative<operator_problem>(*reply);
}

/// Stores an account that was made, although the owner cannot continue at the provider now.
boost::asio::awaitable<response> not_opened(call& c, connection_request what, account_answer said, std::string known) {
  log::warn("account_not_opened", {{"merchant", what.merchant.value},
                                   {"provider", to_string(what.provider)},
                                   {"mode", to_string(what.env)},
                                   {"code", said.error ? std::string_view{said.error->code} : "no_answer"}});
  const auto who = c.here.shared.merchants.find_merchant(what.merchant);
  if (who && !said.account.empty() && said.account != known) {
    const auto status = status_at(*who, what.env, what.provider);
    operator_command wanted{set_connection{what.merchant, {what.env, what.provider, status, said.account}}};
    auto keeping = carry_out_noted(c, std::move(wanted), std::nullopt);
    co_await std::move(keeping);
  }
  co_return error_page(page_error::silent_provider);
}

/// Commits the account before the owner is redirected to it.
boost::asio::awaitable<response> open_account(call& c, connection_request what, std::optional<save_audit> note) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(what.merchant);
  if (!who || state_at(shared, what.env, what.provider) != provider_state::ready)
    co_return error_page(page_error::silent_provider);
  auto question = onboarding_question(shared, what, *who);
  const auto known = question.account;
  auto asking = ask_to_onboard(c, what, std::move(question));
  auto said = co_await std::move(asking);
  if (!said || (said->url.empty() && said->standing != account_standing::ready)) {
    auto giving_up = not_opened(c, what, said ? *said : account_answer{}, known);
    co_return co_await std::move(giving_up);
  }
  const auto account = said->account.empty() ? known : said->account;
  operator_command waits{
      set_connection{what.merchant, {what.env, what.provider, connection_status::in_progress, account}}};
  auto noting = carry_out_noted(c, std::move(waits), std::move(note));
  const bool noted = co_await std::move(noting);
  if (!noted) co_return error_page(page_error::busy);
  if (!said->url.empty()) co_return redirect_to(said->url);
  operator_command follows{follow_account{what.merchant, what.env, what.provider, account, said->standing}};
  auto following = carry_out_noted(c, std::move(follows), std::nullopt);
  const bool done = co_await std::move(following);
  if (!done) co_return error_page(page_error::busy);
  co_return redirect_to(public_url(shared, what.back));
}

boost::asio::awaitable<response> open_at_sandbox(call& c, connection_request what, std::optional<save_audit> note) {
  const auto& shared = c.here.shared;
  operator_command wanted{set_connection{what.merchant, {what.env, what.provider, connection_status::in_progress, {}}}};
  auto asking = carry_out_noted(c, std::move(wanted), std::move(note));
  const bool waits = co_await std::move(asking);
  if (!waits) co_return error_page(page_error::busy);
  const onboarding_link link{what.merchant, what.env, what.provider, what.back,
                             shared.clock.now() + setup_link_lifetime};
  co_return redirect_to(shared.base_url + "/sandbox/onboarding/" + make_onboarding_token(link, shared.setup_token_key));
}

}  // namespace

bool can_be_charged(const merchant& who, environment env) {
  return std::ranges::any_of(who.routes, [&](const route& way) {
    return way.env == env && status_at(who, env, way.provider) == connection_status::connected;
  });
}

bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row) {
  const bool wallet = who.kind == merchant_kind::wallet;
  // A wallet over HTTPS has one account for all merchants, so only operators connect merchants to it.
  if (row.wallet && !row.sandbox) return false;
  return row.wallet == wallet && state_at(shared, env, row.kind) != provider_state::absent;
}

std::string_view shown_name(const provider_traits& row) noexcept { return row.wallet ? "Wallet" : row.display_name; }

std::string_view connecting_targets(const services& shared, const merchant& who, environment env) {
  const bool leads_away = std::ranges::any_of(provider_catalogue, [&](const provider_traits& row) {
    return !row.sandbox && is_offered(shared, who, env, row);
  });
  if (!leads_away) return "'self'";
  // With --dev, a stand-in for a provider may run on this machine.
  return shared.config.dev ? "'self' https: http://127.0.0.1:* http://localhost:*" : "'self' https:";
}

boost::asio::awaitable<response> begin_connecting(call& c, connection_request what, std::optional<save_audit> note) {
  if (traits_of(what.provider).sandbox) return open_at_sandbox(c, std::move(what), std::move(note));
  return open_account(c, std::move(what), std::move(note));
}

boost::asio::awaitable<response> finish_onboarding(call& c, connection_request what) {
  const auto& shared = c.here.shared;
  const auto who = shared.merchants.find_merchant(what.merchant);
  const auto* at = who ? find_connection(*who, what.env, what.provider) : nullptr;
  if (!at || at->status == connection_status::not_connected) co_return error_page(page_error::closed_onboarding);
  account_question question;
  question.merchant = what.merchant;
  question.env = what.env;
  question.provider = what.provider;
  question.account = at->account;
  question.trace = c.in.trace;
  auto asking = ask(c.here, what.provider, std::move(question));
  const auto said = co_await std::move(asking);
  if (said && status_after(at->status, said->standing)) {
    operator_command wanted{follow_account{what.merchant, what.env, what.provider, at->account, said->standing}};
    auto following = ask(c.here, std::move(wanted));
    const auto reply = co_await std::move(following);
    if (!reply) co_return error_page(page_error::busy);
  }
  co_return redirect_to(public_url(shared, what.back));
}

}  // namespace gateway::http
