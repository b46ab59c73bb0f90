#include "connecting.hpp"

#include <algorithm>
#include <utility>

#include "http/errors.hpp"
#include "http/pages/forms.hpp"
#include "http/pages/page.hpp"
#include "http/routes/setup_link.hpp"

namespace gateway::http {

bool can_be_charged(const merchant& who, environment env) {
  return std::ranges::any_of(who.routes, [&](const route& way) {
    return way.env == env && status_at(who, env, way.provider) == connection_status::connected;
  });
}

bool is_offered(const services& shared, const merchant& who, environment env, const provider_traits& row) {
  const bool wallet = who.kind == merchant_kind::wallet;
  return row.wallet == wallet && (!row.sandbox || env == environment::test || shared.config.dev);
}

std::string_view shown_name(const provider_traits& row) noexcept { return row.wallet ? "Wallet" : row.display_name; }

boost::asio::awaitable<response> begin_connecting(call& c, connecting what, std::optional<save_audit> note) {
  const auto& shared = c.here.shared;
  operator_command wanted{set_connection{what.merchant, {what.env, what.provider, connection_status::in_progress, {}}}};
  auto asking = note ? ask(c.here, noted_command{std::move(wanted), *std::move(note)}) : ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  if (!reply || std::holds_alternative<operator_problem>(*reply)) co_return error_page(page_error::busy);
  const onboarding_link link{what.merchant, what.env, what.provider, what.back,
                             shared.clock.now() + setup_link_lifetime};
  co_return redirect_to(shared.base_url + "/sandbox/onboarding/" + make_onboarding_token(link, shared.setup_token_key));
}

}  // namespace gateway::http
