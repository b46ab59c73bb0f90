#include "merchants.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/directory/connected_account.hpp"

namespace gateway::actors {

namespace {

constexpr std::string_view sandbox_account = "acct_sandbox";

operator_problem no_merchant(const merchant_id& id) { return no_such("merchant", id.value); }

/// The provider through which an entity of this kind can be charged at once: the sandbox wallet for a wallet, else the
/// card sandbox.
provider_kind sandbox_for(merchant_kind kind) {
  return kind == merchant_kind::wallet ? provider_kind::sandbox_wallet : provider_kind::sandbox;
}

stored_connection sandbox_connection(const merchant_id& id, environment env, provider_kind provider) {
  return {id, connection{env, provider, connection_status::connected, std::string{sandbox_account}},
          "conn_" + crypto::random_hex(10)};
}

/// A route for everything that the provider takes, in every currency.
stored_route route_by(const stored_connection& to, std::uint32_t position) {
  const auto method = traits_of(to.link.provider).wallet ? payment_method_kind::pkr_wallet : payment_method_kind::card;
  return {to.merchant, route{to.link.env, to.link.provider, position, {}, {method}}, "route_" + crypto::random_hex(10)};
}

/// The position after all other routes.
std::uint32_t next_position(const std::vector<stored_route>& routes) {
  std::uint32_t last = 0;
  for (const auto& row : routes) last = std::max(last, row.way.position);
  return last + 1;
}

/// The problem of a connection without the account that its provider requires: a payment would be made in the
/// platform's account.
std::optional<operator_problem> fault_of_connection(const connection& link) {
  const auto& provider = traits_of(link.provider);
  if (!provider.accounts || link.status != connection_status::connected || !link.account.empty()) return std::nullopt;
  return operator_problem{operator_problem::kind::conflict,
                          "The merchant has no account at " + std::string{provider.name} +
                              " in this mode. Name one, or let its owner connect one at the portal."};
}

template <class Row>
void replace(std::vector<Row>& rows, const Row& row) {
  const auto same = std::ranges::find(rows, row.id, &Row::id);
  if (same == rows.end())
    rows.push_back(row);
  else
    *same = row;
}

}  // namespace

// ---- the rows -----------------------------------------------------------------------------------

void merchants::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.merchants) {
    known_merchant m;
    m.shown.id = row.id;
    m.shown.entity = row.entity;
    m.shown.name = row.name;
    m.shown.kind = row.kind;
    m.owner_email = row.owner_email;
    known_[row.id] = std::move(m);
  }
  for (const auto& row : rows.brandings)
    if (auto* m = find(row.merchant)) m->shown.look = row.look;
  for (const auto& row : rows.connections)
    if (auto* m = find(row.merchant)) m->connections.push_back(row);
  for (const auto& row : rows.routes)
    if (auto* m = find(row.merchant)) m->routes.push_back(row);
  for (const auto& id : rows.unreadable_connections)
    if (auto* m = find(id)) m->shown.connections_unreadable = true;
}

void merchants::set_destinations(const merchant_id& id, std::vector<destination> result) {
  if (auto* m = find(id)) m->shown.destinations = std::move(result);
}

void merchants::set_owner(const merchant_id& id, user_id owner) {
  if (auto* m = find(id)) m->shown.owner = std::move(owner);
}

const std::string& merchants::owner_email(const merchant_id& id) const {
  static const std::string none;
  const auto at = known_.find(id);
  return at == known_.end() ? none : at->second.owner_email;
}

const std::string& merchants::name(const merchant_id& id) const {
  static const std::string none;
  const auto at = known_.find(id);
  return at == known_.end() ? none : at->second.shown.name;
}

std::vector<merchant_id> merchants::all() const {
  std::vector<merchant_id> ids;
  ids.reserve(known_.size());
  for (const auto& [id, m] : known_) ids.push_back(id);
  return ids;
}

merchants::known_merchant* merchants::find(const merchant_id& id) {
  const auto at = known_.find(id);
  return at == known_.end() ? nullptr : &at->second;
}

// ---- the snapshot -------------------------------------------------------------------------------

void merchants::publish(const directory_lookup& rows) const {
  for (const auto& row : rows.merchants) publish(row.id);
}

void merchants::publish(const merchant_id& id) const {
  if (const auto at = known_.find(id); at != known_.end()) publish(at->second);
}

void merchants::publish(const known_merchant& m) const {
  auto shown = std::make_shared<merchant>(m.shown);
  for (const auto& row : m.connections) shown->connections.push_back(row.link);
  for (const auto& row : m.routes) shown->routes.push_back(row.way);
  std::ranges::sort(shown->routes, {}, &route::position);
  published_.publish(std::shared_ptr<const merchant>{std::move(shown)});
}

// ---- commands -----------------------------------------------------------------------------------

merchants::creation merchants::creation_of(const create_merchant& wanted) {
  const auto now = clock_.now();
  known_merchant m;
  m.shown.id = merchant_id{"merch_" + crypto::random_hex(10)};
  m.shown.entity = entity_id{"ent_" + crypto::random_hex(10)};
  m.shown.name = wanted.name;
  m.shown.kind = wanted.kind;
  m.owner_email = wanted.owner_email;
  m.connections.push_back(sandbox_connection(m.shown.id, environment::test, sandbox_for(wanted.kind)));
  m.routes.push_back(route_by(m.connections.back(), 1));
  plan p;
  p.unit.inserts.push_back(
      save_merchant{m.shown.id, m.shown.entity, wanted.name, wanted.kind, wanted.owner_email, now});
  p.unit.inserts.push_back(save_connection{m.shown.id, m.connections.back().link, m.connections.back().id});
  p.unit.inserts.push_back(save_route{m.shown.id, m.routes.back().way, m.routes.back().id});
  p.when_duplicate = "such a merchant exists already";
  auto id = m.shown.id;
  p.apply = [this, m = std::move(m)]() -> operator_result {
    publish(known_[m.shown.id] = m);
    return created_merchant{m.shown.id, m.shown.entity};
  };
  return {std::move(id), std::move(p)};
}

const stored_connection* merchants::connection_of(const known_merchant& m, environment env, provider_kind provider) {
  const auto at = std::ranges::find_if(m.connections, [&](const stored_connection& row) {
    return row.link.env == env && row.link.provider == provider;
  });
  return at == m.connections.end() ? nullptr : &*at;
}

stored_connection merchants::row_of(const known_merchant& m, connection link) {
  const auto* same = connection_of(m, link.env, link.provider);
  if (link.account.empty() && same) link.account = same->link.account;
  // Every merchant has an account at the sandbox.
  if (link.account.empty() && link.status == connection_status::connected && traits_of(link.provider).sandbox)
    link.account = sandbox_account;
  return {m.shown.id, std::move(link), same ? same->id : "conn_" + crypto::random_hex(10)};
}

planned merchants::prepare(const set_connection& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  const auto row = row_of(*m, wanted.link);
  if (auto fault = fault_of_connection(row.link)) return *std::move(fault);
  plan p;
  p.unit.inserts.push_back(save_connection{row.merchant, row.link, row.id});
  p.when_duplicate = "the connection changed meanwhile";
  p.apply = [this, m, row]() -> operator_result {
    replace(m->connections, row);
    publish(*m);
    return named_result{row.id, std::string{to_string(row.link.status)}};
  };
  return p;
}

planned merchants::prepare(const set_route& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  stored_route row{wanted.merchant, wanted.way, {}};
  for (const auto& other : m->routes)
    if (other.way.env == row.way.env && other.way.provider == row.way.provider) {
      row.id = other.id;
      row.way.position = other.way.position;
    }
  if (row.id.empty()) {
    row.id = "route_" + crypto::random_hex(10);
    row.way.position = next_position(m->routes);
  }
  plan p;
  p.unit.inserts.push_back(save_route{row.merchant, row.way, row.id});
  p.when_duplicate = "the route changed meanwhile";
  p.apply = [this, m, row]() -> operator_result {
    replace(m->routes, row);
    publish(*m);
    return placed_route{row.id};
  };
  return p;
}

bool merchants::can_be_charged(const known_merchant& m, environment env) {
  return std::ranges::any_of(m.connections, [&](const stored_connection& to) {
    return to.link.env == env && to.link.status == connection_status::connected &&
           std::ranges::any_of(m.routes, [&](const stored_route& by) {
             return by.way.env == env && by.way.provider == to.link.provider;
           });
  });
}

plan merchants::connect(known_merchant& m, stored_connection row, operator_result result) {
  plan p;
  p.unit.inserts.push_back(save_connection{row.merchant, row.link, row.id});
  std::optional<stored_route> way;
  const bool has_route = std::ranges::any_of(m.routes, [&](const stored_route& each) {
    return each.way.env == row.link.env && each.way.provider == row.link.provider;
  });
  if (!has_route) {
    way = route_by(row, next_position(m.routes));
    p.unit.inserts.push_back(save_route{way->merchant, way->way, way->id});
  }
  p.when_duplicate = "the connection changed meanwhile";
  p.apply = [this, m = &m, row = std::move(row), way, result = std::move(result)]() -> operator_result {
    replace(m->connections, row);
    if (way) replace(m->routes, *way);
    publish(*m);
    return result;
  };
  return p;
}

planned merchants::prepare(const make_chargeable& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  const named_result result{wanted.merchant.value, "chargeable"};
  if (!wanted.provider && can_be_charged(*m, wanted.env)) return unchanged{result};
  const auto provider = wanted.provider.value_or(sandbox_for(m->shown.kind));
  auto row = row_of(*m, {wanted.env, provider, connection_status::connected, {}});
  if (auto fault = fault_of_connection(row.link)) return *std::move(fault);
  return connect(*m, std::move(row), result);
}

planned merchants::prepare(const set_branding& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  auto look = m->shown.look;
  if (wanted.shop_name) look.shop_name = *wanted.shop_name;
  if (wanted.colour) look.colour = stored_colour(*wanted.colour);
  if (wanted.support) look.support = *wanted.support;
  if (wanted.logo) look.logo = wanted.logo->empty() ? std::string{} : crypto::hex(crypto::sha256(*wanted.logo));
  named_result result{wanted.merchant.value, "saved"};
  if (look == m->shown.look) return unchanged{std::move(result)};
  plan p;
  p.unit.inserts.push_back(save_branding{wanted.merchant, look});
  if (look.logo != m->shown.look.logo)
    p.unit.inserts.push_back(save_logo{wanted.merchant, crypto::base64url(*wanted.logo)});
  p.when_duplicate = "the branding changed meanwhile";
  p.apply = [this, m, look = std::move(look), result = std::move(result)]() -> operator_result {
    m->shown.look = look;
    publish(*m);
    return result;
  };
  return p;
}

planned merchants::prepare(const follow_account& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  const auto* at = connection_of(*m, wanted.env, wanted.provider);
  if (!at || at->link.account != wanted.account)
    return operator_problem{operator_problem::kind::not_found, "The merchant has no connection with that account."};
  const auto next = status_after(at->link.status, wanted.standing);
  named_result result{at->id, std::string{to_string(next.value_or(at->link.status))}};
  if (!next) return unchanged{std::move(result)};
  if (*next == connection_status::connected)
    return connect(*m, row_of(*m, {wanted.env, wanted.provider, *next, {}}), std::move(result));
  return prepare(set_connection{wanted.merchant, {wanted.env, wanted.provider, *next, {}}});
}

}  // namespace gateway::actors
