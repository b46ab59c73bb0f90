#include <catch2/catch.hpp>

#include "gateway/domain/routing.hpp"

using namespace gateway;

namespace {

currency in(std::string_view code) { return *currency::parse(code); }

create_payment wanting(std::string_view code, flow how = flow::server, bool wallet = false) {
  create_payment c;
  c.amount = {4200, in(code)};
  c.how = how;
  c.wallet_selected = wallet;
  return c;
}

route by(provider_kind kind, std::uint32_t position, std::vector<currency> currencies = {},
         environment env = environment::test) {
  return {env,
          kind,
          position,
          std::move(currencies),
          {traits_of(kind).wallet ? payment_method_kind::pkr_wallet : payment_method_kind::card}};
}
connection to(provider_kind kind, connection_status status = connection_status::connected,
              environment env = environment::test) {
  return {env, kind, status, "acct_1"};
}

merchant standard(std::vector<connection> links, std::vector<route> ways) {
  merchant m;
  m.id = merchant_id{"merch_1"};
  m.connections = std::move(links);
  m.routes = std::move(ways);
  return m;
}
merchant wallet() {
  auto m = standard({to(provider_kind::sandbox_wallet)}, {by(provider_kind::sandbox_wallet, 1)});
  m.kind = merchant_kind::wallet;
  return m;
}

using enum provider_kind;

provider_states states_of(environment env, bool dev) {
  return env == environment::test || dev ? sandboxes_only() : provider_states{};
}

std::optional<problem> refusal(const merchant& m, const create_payment& c, environment env = environment::test,
                               bool dev = false) {
  const auto way = choose_route(m, env, c, states_of(env, dev));
  const auto* why = std::get_if<problem>(&way);
  return why ? std::optional{*why} : std::nullopt;
}
provider_kind chosen(const merchant& m, const create_payment& c, environment env = environment::test,
                     bool dev = false) {
  const auto way = choose_route(m, env, c, states_of(env, dev));
  REQUIRE(std::holds_alternative<route_choice>(way));
  return std::get<route_choice>(way).provider;
}

}  // namespace

TEST_CASE("routes are tried in their order, the first that takes the payment and is connected wins") {
  const auto m = standard({to(sandbox), to(sandbox_hosted)}, {by(sandbox_hosted, 1), by(sandbox, 2)});
  CHECK(chosen(m, wanting("HKD", flow::redirect)) == sandbox_hosted);
  CHECK(chosen(m, wanting("USD", flow::redirect)) == sandbox);   // the hosted route takes HKD only in test
  CHECK(chosen(m, wanting("HKD", flow::server)) == sandbox);     // the hosted route takes redirects only
  CHECK(chosen(m, wanting("HKD", flow::embedded)) == sandbox);
  const auto down = standard({to(sandbox), to(sandbox_hosted, connection_status::unavailable)},
                             {by(sandbox_hosted, 1), by(sandbox, 2)});
  CHECK(chosen(down, wanting("HKD", flow::redirect)) == sandbox);
}

TEST_CASE("a route takes the currencies that it lists, or every one if it lists none") {
  const auto m = standard({to(sandbox)}, {by(sandbox, 1, {in("EUR"), in("USD")})});
  CHECK(chosen(m, wanting("EUR")) == sandbox);
  CHECK(refusal(m, wanting("HKD")) == problem::no_eligible_provider);
}

TEST_CASE("a payment of a merchant without a chargeable connection is refused until onboarding is finished") {
  CHECK(refusal(standard({}, {by(sandbox, 1)}), wanting("HKD")) == problem::merchant_not_charge_capable);
  for (auto status : {connection_status::not_connected, connection_status::in_progress, connection_status::unavailable})
    CHECK(refusal(standard({to(sandbox, status)}, {by(sandbox, 1)}), wanting("HKD")) ==
          problem::merchant_not_charge_capable);
  // Connected somewhere, but not to the only route that would take it.
  CHECK(refusal(standard({to(sandbox_hosted), to(sandbox, connection_status::in_progress)},
                         {by(sandbox, 1), by(sandbox_hosted, 2)}),
                wanting("EUR")) == problem::merchant_not_charge_capable);
}

TEST_CASE("the environments do not share connections or routes") {
  const auto m = standard({to(sandbox)}, {by(sandbox, 1)});
  CHECK(refusal(m, wanting("HKD"), environment::live, true) == problem::merchant_not_charge_capable);
}

TEST_CASE("a sandbox provider serves live payments only under --dev") {
  const auto m =
      standard({to(sandbox, connection_status::connected, environment::live)}, {by(sandbox, 1, {}, environment::live)});
  CHECK(refusal(m, wanting("HKD"), environment::live, false) == problem::merchant_not_charge_capable);
  CHECK(chosen(m, wanting("HKD"), environment::live, true) == sandbox);
}

TEST_CASE("the wallet belongs to wallet entities and takes PKR") {
  CHECK(chosen(wallet(), wanting("PKR", flow::redirect, true)) == sandbox_wallet);
  CHECK(chosen(wallet(), wanting("PKR", flow::embedded)) == sandbox_wallet);
  CHECK(refusal(wallet(), wanting("HKD", flow::redirect)) == problem::currency_not_supported);
  CHECK(refusal(wallet(), wanting("PKR", flow::server)) == problem::no_eligible_provider);
  const auto cards = standard({to(sandbox), to(sandbox_wallet)}, {by(sandbox_wallet, 1), by(sandbox, 2)});
  CHECK(refusal(cards, wanting("PKR", flow::redirect, true)) == problem::wallet_not_available);
  CHECK(chosen(cards, wanting("PKR", flow::redirect)) == sandbox);
  const auto way = choose_route(wallet(), environment::test, wanting("PKR", flow::redirect), sandboxes_only());
  CHECK(std::get<route_choice>(way).hides_provider);
}

TEST_CASE("a provider that is away is skipped for the next route, and is unavailable if there is none") {
  auto states = sandboxes_only();
  states.set(stripe, provider_state::away);
  const auto both = standard({to(stripe), to(sandbox)}, {by(stripe, 1), by(sandbox, 2)});
  auto way = choose_route(both, environment::test, wanting("USD"), states);
  CHECK(std::get<route_choice>(way).provider == sandbox);
  const auto alone = standard({to(stripe), to(sandbox)}, {by(stripe, 1), by(sandbox, 2, {in("HKD")})});
  way = choose_route(alone, environment::test, wanting("USD"), states);
  CHECK(std::get<problem>(way) == problem::provider_unavailable);
  states.set(stripe, provider_state::ready);
  CHECK(std::get<route_choice>(choose_route(alone, environment::test, wanting("USD"), states)).provider == stripe);
}

TEST_CASE("a provider that is not configured takes nothing, as if the merchant had no connection to it") {
  const auto both = standard({to(stripe), to(sandbox)}, {by(stripe, 1), by(sandbox, 2)});
  CHECK(chosen(both, wanting("USD")) == sandbox);
  CHECK(refusal(standard({to(stripe)}, {by(stripe, 1)}), wanting("USD")) == problem::merchant_not_charge_capable);
}

TEST_CASE("a customer reference needs a platform's key") {
  auto c = wanting("HKD");
  c.customer = wanted_customer{{}, "c1", true, false};
  CHECK(refusal(standard({to(sandbox)}, {by(sandbox, 1)}), c) == problem::platform_key_required);
}
