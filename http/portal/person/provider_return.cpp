// The provider and the browser's history know this address. So returning with it only queries the account's state. A
// new link to the provider, which may show what the owner has entered there, requires an owner's sign-in.
#include "provider_return.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "http/access/setup_link.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/html/forms.hpp"
#include "http/html/page.hpp"
#include "http/portal/provider_connection.hpp"
#include "http/portal/sessions.hpp"

namespace gateway::http {
namespace {

/// The address's content, once the merchant is loaded; or the page to show.
boost::asio::awaitable<std::variant<connection_request, response>> open_account_link(call& c) {
  const auto& shared = c.here.shared;
  auto link = read_account_link(c.path.id, shared.setup_token_key, shared.clock.now());
  if (!link) co_return error_page(page_error::closed_onboarding);
  auto making = make_known(c.here, link->merchant);
  if (co_await std::move(making)) co_return error_page(page_error::busy);
  if (!shared.merchants.find_merchant(link->merchant)) co_return error_page(page_error::closed_onboarding);
  co_return connection_request{link->merchant, link->env, link->provider, link->back};
}

/// Whether the signed-in person owns the merchant; or the page to show if the store does not answer.
boost::asio::awaitable<std::variant<bool, response>> may_connect(call& c, merchant_id merchant) {
  auto finding = find_signed_in(c);
  auto found = co_await std::move(finding);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  const auto* person = std::get_if<signed_in>(&found);
  co_return person && person->owns(merchant);
}

}  // namespace

boost::asio::awaitable<response> return_from_onboarding(call& c) {
  auto opening = open_account_link(c);
  auto found = co_await std::move(opening);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto coming_back = finish_onboarding(c, std::get<connection_request>(std::move(found)));
  co_return co_await std::move(coming_back);
}

boost::asio::awaitable<response> repeat_onboarding(call& c) {
  const auto& shared = c.here.shared;
  auto opening = open_account_link(c);
  auto found = co_await std::move(opening);
  if (auto* page = std::get_if<response>(&found)) co_return std::move(*page);
  auto what = std::get<connection_request>(std::move(found));
  const auto who = shared.merchants.find_merchant(what.merchant);
  const auto status = status_at(*who, what.env, what.provider);
  if (status == connection_status::not_connected) co_return error_page(page_error::closed_onboarding);
  auto judging = may_connect(c, what.merchant);
  auto judged = co_await std::move(judging);
  if (auto* page = std::get_if<response>(&judged)) co_return std::move(*page);
  const bool allowed = std::get<bool>(judged);
  // That page requires a sign-in, and has a button that leads to the provider.
  if (!allowed || status == connection_status::connected) co_return redirect_to(public_url(shared, what.back));
  auto beginning = begin_connecting(c, std::move(what), std::nullopt);
  co_return co_await std::move(beginning);
}

}  // namespace gateway::http
