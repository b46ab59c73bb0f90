#include "merchants.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "gateway/base/crypto.hpp"

namespace gateway::actors {

namespace {

operator_problem no_merchant(const merchant_id& id) { return no_such("merchant", id.value); }

/// Ready to charge in test: through the sandbox wallet for a wallet entity, through the card sandbox for others.
stored_connection first_connection(const merchant_id& id, merchant_kind kind) {
  const auto provider = kind == merchant_kind::wallet ? provider_kind::sandbox_wallet : provider_kind::sandbox;
  return {id, connection{environment::test, provider, connection_status::connected, "acct_sandbox"},
          "conn_" + crypto::random_hex(10)};
}

stored_route first_route(const stored_connection& to, merchant_kind kind) {
  const auto method = kind == merchant_kind::wallet ? payment_method_kind::pkr_wallet : payment_method_kind::card;
  return {to.merchant, route{environment::test, to.link.provider, 1, {}, {method}}, "route_" + crypto::random_hex(10)};
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
  known_.clear();
  for (const auto& row : rows.merchants) {
    known_merchant m;
    m.shown.id = row.id;
    m.shown.entity = row.entity;
    m.shown.name = row.name;
    m.shown.kind = row.kind;
    m.owner_email = row.owner_email;
    known_.emplace(row.id, std::move(m));
  }
  for (const auto& row : rows.users)
    if (auto* m = find(row.merchant)) m->users.push_back({row.id, row.email});
  for (const auto& row : rows.connections)
    if (auto* m = find(row.merchant)) m->connections.push_back(row);
  for (const auto& row : rows.routes)
    if (auto* m = find(row.merchant)) m->routes.push_back(row);
}

void merchants::set_destinations(const merchant_id& id, std::vector<destination> told) {
  if (auto* m = find(id)) m->shown.destinations = std::move(told);
}

merchants::known_merchant* merchants::find(const merchant_id& id) {
  const auto at = known_.find(id);
  return at == known_.end() ? nullptr : &at->second;
}

// ---- the snapshot -------------------------------------------------------------------------------

void merchants::publish_all() const {
  for (const auto& [id, m] : known_) publish(m);
}

void merchants::publish(const merchant_id& id) const {
  if (const auto at = known_.find(id); at != known_.end()) publish(at->second);
}

void merchants::publish(const known_merchant& m) const {
  auto shown = std::make_shared<merchant>(m.shown);
  const auto owner = std::ranges::find(m.users, m.owner_email, &known_user::email);
  if (owner != m.users.end())
    shown->owner = owner->id;
  else if (!m.users.empty())
    shown->owner = m.users.front().id;
  for (const auto& row : m.connections) shown->connections.push_back(row.link);
  for (const auto& row : m.routes) shown->routes.push_back(row.way);
  std::ranges::sort(shown->routes, {}, &route::position);
  published_.publish(std::shared_ptr<const merchant>{std::move(shown)});
}

// ---- commands -----------------------------------------------------------------------------------

planned merchants::prepare(const create_merchant& wanted) {
  const auto now = clock_.now();
  known_merchant m;
  m.shown.id = merchant_id{"merch_" + crypto::random_hex(10)};
  m.shown.entity = entity_id{"ent_" + crypto::random_hex(10)};
  m.shown.name = wanted.name;
  m.shown.kind = wanted.kind;
  m.owner_email = wanted.owner_email;
  m.connections.push_back(first_connection(m.shown.id, wanted.kind));
  m.routes.push_back(first_route(m.connections.back(), wanted.kind));
  plan p;
  p.unit.inserts.push_back(
      save_merchant{m.shown.id, m.shown.entity, wanted.name, wanted.kind, wanted.owner_email, now});
  if (!wanted.owner_email.empty()) {
    m.users.push_back({user_id{"user_" + crypto::random_hex(10)}, wanted.owner_email});
    p.unit.inserts.push_back(save_user{m.users.back().id, m.shown.id, wanted.owner_email, {}, now});
  }
  p.unit.inserts.push_back(save_connection{m.shown.id, m.connections.back().link, m.connections.back().id});
  p.unit.inserts.push_back(save_route{m.shown.id, m.routes.back().way, m.routes.back().id});
  p.when_duplicate = "such a merchant exists already";
  p.apply = [this, m = std::move(m)]() -> operator_result {
    publish(known_[m.shown.id] = m);
    return created_merchant{m.shown.id, m.shown.entity};
  };
  return p;
}

planned merchants::prepare(const add_hashed_user& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  const auto same = std::ranges::find(m->users, wanted.email, &known_user::email);
  const bool invited = same != m->users.end();
  const user_id id = invited ? same->id : user_id{"user_" + crypto::random_hex(10)};
  plan p;
  p.unit.inserts.push_back(save_user{id, wanted.merchant, wanted.email, wanted.password_hash, clock_.now()});
  p.when_duplicate = "such a user exists already";
  p.apply = [this, m, id, invited, email = wanted.email]() -> operator_result {
    if (!invited) m->users.push_back({id, email});
    publish(*m);
    return added_user{id};
  };
  return p;
}

planned merchants::prepare(const set_connection& wanted) {
  auto* m = find(wanted.merchant);
  if (!m) return no_merchant(wanted.merchant);
  const auto same = std::ranges::find_if(m->connections, [&](const stored_connection& row) {
    return row.link.env == wanted.link.env && row.link.provider == wanted.link.provider;
  });
  stored_connection row{wanted.merchant, wanted.link,
                        same == m->connections.end() ? "conn_" + crypto::random_hex(10) : same->id};
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
  std::uint32_t last = 0;
  for (const auto& other : m->routes) {
    if (other.way.env == row.way.env && other.way.provider == row.way.provider) {
      row.id = other.id;
      row.way.position = other.way.position;
    }
    last = std::max(last, other.way.position);
  }
  if (row.id.empty()) {
    row.id = "route_" + crypto::random_hex(10);
    row.way.position = last + 1;
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

}  // namespace gateway::actors
