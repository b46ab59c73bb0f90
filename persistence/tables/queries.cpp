// The reads of several tables: entities, what is due, and the directory's entries.
#include "persistence/tables/queries.hpp"

#include <algorithm>
#include <iterator>

#include "gateway/base/log.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

std::optional<std::string> read_text(db_connection& db, const statement& sql, std::span<const cell> parameters) {
  std::optional<std::string> found;
  db.read(sql, parameters, [&](const result_row& row) { found = row.text(0); });
  return found;
}

/// Compares the account again, byte for byte, because MySQL ignores trailing spaces. A row that cannot be read is
/// logged and left out.
void read_connections(db_connection& db, const named_account& with, directory_lookup& into) {
  const cell parameters[] = {std::string_view{with.account}, to_string(with.provider), to_string(with.env),
                             std::int64_t{most_sharing_an_account}};
  db.read(statements::read_connections_with, parameters, [&](const result_row& row) {
    try {
      auto read = connection_from(row);
      if (read.link.account == with.account) into.connections.push_back(std::move(read));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", row.text(0)}});
    }
  });
}

/// A row that cannot be read is logged and left out, so that the merchant's keys and its other connections are served.
void read_connections(db_connection& db, std::string_view merchant, directory_lookup& into) {
  const cell of[] = {merchant};
  bool all = true;
  db.read(statements::read_connections_of, of, [&](const result_row& row) {
    try {
      into.connections.push_back(connection_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", merchant}});
      all = false;
    }
  });
  if (!all) into.unreadable_connections.emplace_back(std::string{merchant});
}

void add_merchant(db_connection& db, std::string_view id, directory_lookup& into) {
  const cell of[] = {id};
  read_into(db, statements::read_merchant, of, into.merchants, merchant_from);
  if (into.merchants.empty()) return;
  read_into(db, statements::read_branding_of, of, into.brandings, branding_from);
  read_into(db, statements::read_api_keys_of, of, into.keys, api_key_from);
  const cell twice[] = {id, id};
  read_into(db, statements::read_people_of, of, into.users, user_from);
  read_into(db, statements::read_invited_people_of, twice, into.users, user_from);
  read_into(db, statements::read_memberships_of, of, into.memberships, membership_from);
  read_into(db, statements::read_invitations_of, of, into.invitations, invitation_from);
  read_connections(db, id, into);
  read_into(db, statements::read_routes_of, of, into.routes, route_from);
  read_into(db, statements::read_bindings_of, of, into.bindings, stored_binding_from);
  read_into(db, statements::read_destinations_of, of, into.destinations, destination_from);
}

void add_platform(db_connection& db, std::string_view id, directory_lookup& into) {
  const cell of[] = {id};
  read_into(db, statements::read_platform, of, into.platforms, platform_from);
  read_into(db, statements::read_platform_keys_of, of, into.platform_keys, platform_key_from);
  read_into(db, statements::read_destinations_of, of, into.destinations, destination_from);
}

/// A row that cannot be read is left out, so that the other providers are served.
void read_providers(db_connection& db, const statement& sql, std::span<const cell> parameters, directory_lookup& into) {
  db.read(sql, parameters, [&](const result_row& row) {
    try {
      into.providers.push_back(provider_from(row));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", row.text(0)}});
    }
  });
}

/// The statement that finds the merchant to whose entry a name of this kind belongs.
const statement* owner_statement(directory_name::kind kind) noexcept {
  switch (kind) {
    case directory_name::kind::key: return &statements::read_owner_of_key;
    case directory_name::kind::destination: return &statements::read_owner_of_destination;
    default: return nullptr;
  }
}

directory_lookup entry_of(db_connection& db, const directory_name& name) {
  directory_lookup entry;
  const cell of[] = {std::string_view{name.text}};
  switch (name.what) {
    case directory_name::kind::merchant: add_merchant(db, name.text, entry); break;
    case directory_name::kind::platform: add_platform(db, name.text, entry); break;
    case directory_name::kind::key:
    case directory_name::kind::destination:
      if (const auto owner = read_text(db, *owner_statement(name.what), of)) add_merchant(db, *owner, entry);
      break;
    case directory_name::kind::user: read_into(db, statements::read_user, of, entry.users, user_from); break;
    case directory_name::kind::email:
      read_into(db, statements::read_user_of_address, of, entry.users, user_from);
      break;
    case directory_name::kind::provider: read_providers(db, statements::read_provider, of, entry); break;
    case directory_name::kind::master_keys: entry.master_keys = read_master_key_rows(db); break;
  }
  return entry;
}

template <class Row>
void append(std::vector<Row>& rows, std::vector<Row>& more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Several names may belong to one entry, which is added once.
void add_entry(directory_lookup&& entry, directory_lookup& into) {
  for (const auto& one : entry.merchants)
    if (std::ranges::find(into.merchants, one.id, &save_merchant::id) != into.merchants.end()) return;
  append(into.merchants, entry.merchants);
  append(into.brandings, entry.brandings);
  append(into.keys, entry.keys);
  append(into.users, entry.users);
  append(into.memberships, entry.memberships);
  append(into.invitations, entry.invitations);
  append(into.connections, entry.connections);
  append(into.routes, entry.routes);
  append(into.bindings, entry.bindings);
  append(into.destinations, entry.destinations);
  append(into.platforms, entry.platforms);
  append(into.platform_keys, entry.platform_keys);
  append(into.providers, entry.providers);
  if (into.master_keys.empty()) into.master_keys = std::move(entry.master_keys);
  append(into.unreadable_connections, entry.unreadable_connections);
}

}  // namespace

entity_key key_from(const result_row& row, entity_kind kind) {
  cursor in{row};
  return read_key(in, kind);
}

entity_lookup run(db_connection& db, const find_entity& what) {
  switch (what.key.kind) {
    case entity_kind::payment: return {read_payment_row(db, what.key)};
    case entity_kind::grant: return {read_binding_row(db, what.key)};
    case entity_kind::customer: return {read_customer_row(db, what.key)};
    case entity_kind::subscription: return {read_subscription_row(db, what.key)};
    case entity_kind::enrollment: return {read_enrollment_row(db, what.key)};
    case entity_kind::notification: return {read_notification_row(db, what.key)};
  }
  return {};
}

due_lookup run(db_connection& db, const find_due& what) {
  // Each kind that can be due needs a statement here.
  struct table {
    entity_kind kind;
    const statement* all;
    const statement* open;  ///< null: this kind has no open operations
  };
  static constexpr table tables[] = {
      {entity_kind::payment, &statements::read_due_payments, &statements::read_due_open_payments},
      {entity_kind::subscription, &statements::read_due_subscriptions, &statements::read_due_open_subscriptions},
      {entity_kind::enrollment, &statements::read_due_enrollments, nullptr},
      {entity_kind::notification, &statements::read_due_notifications, nullptr}};
  const std::int64_t now = to_unix_ms(what.now), later_than = to_unix_ms(what.later_than), limit = what.limit;
  const cell all[] = {now, limit};
  const cell open[] = {now, later_than, limit};
  due_lookup answer;
  for (const auto& each : tables) {
    const auto add = [&](const result_row& row) { answer.keys.push_back(key_from(row, each.kind)); };
    if (!what.open_only)
      db.read(*each.all, all, add);
    else if (each.open)
      db.read(*each.open, open, add);
  }
  return answer;
}

directory_lookup run(db_connection& db, const find_directory& what) {
  directory_lookup found;
  if (what.every_platform) {
    read_into(db, statements::read_platforms, {}, found.platforms, platform_from);
    read_into(db, statements::read_platform_keys, {}, found.platform_keys, platform_key_from);
    read_into(db, statements::read_destinations_of_platforms, {}, found.destinations, destination_from);
    read_providers(db, statements::read_providers, {}, found);
    found.master_keys = read_master_key_rows(db);
  }
  for (const auto& name : what.of) {
    try {
      add_entry(entry_of(db, name), found);
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}, {"entry", name.text}});  // the others are still served
    }
  }
  if (what.account) read_connections(db, *what.account, found);
  return found;
}

}  // namespace gateway::persistence
