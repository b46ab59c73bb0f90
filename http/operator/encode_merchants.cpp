#include "encode_merchants.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "encode.hpp"
#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

void text_or_null(json_object& into, std::string_view name, std::string_view text) {
  if (text.empty())
    into.member(name) += "null";
  else
    into.text(name, text);
}

/// `append` writes one row into its object.
template <class Rows, class Append>
void write_rows(json_object& body, std::string_view name, const Rows& rows, Append append) {
  auto& out = body.member(name);
  out += '[';
  bool first = true;
  for (const auto& row : rows) {
    if (!std::exchange(first, false)) out += ',';
    json_object object{out};
    append(object, row);
  }
  out += ']';
}

template <class Write>
std::string encode_entry(const directory_lookup& entry, Write write) {
  std::string out;
  {
    json_object body{out};
    write(body, entry);
  }
  return out;
}

void append_merchant(json_object& object, const save_merchant& m) {
  object.text("merchant_id", m.id.value);
  object.text("entity_id", m.entity.value);
  object.text("name", m.name);
  object.text("entity", to_string(m.kind));
  text_or_null(object, "owner_email", m.owner_email);
  object.text("created_at", format_millis(m.created_at));
}

/// A platform's key has no mode: it signs for merchants in both.
template <class Key>
void append_key(json_object& object, const Key& row, std::optional<environment> env) {
  const auto& key = row.key;
  object.text("key_id", key.id.value);
  text_or_null(object, "name", key.name);
  text_or_null(object, "mode", env ? to_string(*env) : std::string_view{});
  object.text("scopes", to_string(key.scopes));
  object.text("created_at", format_millis(key.created_at));
  text_or_null(object, "created_by", key.created_by);
  text_or_null(object, "last_used_on", row.last_used_on ? format_day(*row.last_used_on) : std::string{});
  object.text("status", row.revoked ? "revoked" : "active");
}

/// `entry` has keys of one owner only: a merchant or a platform.
void write_keys(json_object& body, const directory_lookup& entry) {
  const auto age = [](const auto& row) { return std::tie(row.key.created_at, row.key.id.value); };
  if (entry.merchants.empty()) {
    auto keys = entry.platform_keys;
    std::ranges::sort(keys, {}, age);
    write_rows(body, "keys", keys,
               [](json_object& object, const stored_platform_key& row) { append_key(object, row, std::nullopt); });
    return;
  }
  auto keys = entry.keys;
  std::ranges::sort(keys, {}, age);
  write_rows(body, "keys", keys,
             [](json_object& object, const stored_key& row) { append_key(object, row, row.key.env); });
}

void write_routes(json_object& body, const directory_lookup& entry) {
  write_rows(body, "routes", entry.routes, [](json_object& object, const stored_route& row) {
    object.text("id", row.id);
    object.text("mode", to_string(row.way.env));
    object.text("provider", to_string(row.way.provider));
    object.number("position", row.way.position);
    std::vector<std::string> currencies, methods;
    for (const auto& each : row.way.currencies) currencies.emplace_back(each.code());
    for (const auto each : row.way.methods) methods.emplace_back(to_string(each));
    write_texts(object, "currencies", currencies);
    write_texts(object, "methods", methods);
  });
}

void write_connections(json_object& body, const directory_lookup& entry) {
  write_rows(body, "connections", entry.connections, [](json_object& object, const stored_connection& row) {
    object.text("id", row.id);
    object.text("mode", to_string(row.link.env));
    object.text("provider", to_string(row.link.provider));
    object.text("status", to_string(row.link.status));
    text_or_null(object, "account", row.link.account);
  });
}

void write_destinations(json_object& body, const directory_lookup& entry) {
  write_rows(body, "destinations", entry.destinations, [](json_object& object, const stored_destination& row) {
    object.text("id", row.what.id.value);
    object.text("mode", to_string(row.what.env));
    object.text("url", row.what.url);
    object.text_if("name", row.what.name);
    write_texts(object, "events", row.what.events);
    object.text("status", to_string(row.what.status));
    object.text("disabled_reason", row.what.disabled_reason);
    object.text("created_at", format_millis(row.what.created_at));
  });
}

struct listed_user {
  const stored_user* who = nullptr;
  member_role role = member_role::viewer;
  std::string_view status;
  time_point since{};
};

/// Members, then invited people, whose role is in the invitation.
std::vector<listed_user> users_of(const directory_lookup& entry) {
  std::vector<listed_user> users;
  const auto add = [&](const user_id& id, member_role role, std::string_view status, time_point since) {
    const auto who = std::ranges::find(entry.users, id, &stored_user::id);
    const bool is_known = std::ranges::any_of(users, [&](const listed_user& one) { return one.who->id == id; });
    if (who != entry.users.end() && !is_known) users.push_back({&*who, role, status, since});
  };
  for (const auto& one : entry.memberships) {
    const auto who = std::ranges::find(entry.users, one.user, &stored_user::id);
    add(one.user, one.role, who != entry.users.end() && who->has_password ? "active" : "invited", one.created_at);
  }
  for (const auto& one : entry.invitations) add(one.user, one.role, "invited", one.created_at);
  return users;
}

void write_users(json_object& body, const directory_lookup& entry) {
  write_rows(body, "users", users_of(entry), [](json_object& object, const listed_user& row) {
    object.text("user_id", row.who->id.value);
    object.text("email", row.who->email);
    object.text("role", to_string(row.role));
    object.text("status", row.status);
    object.text("created_at", format_millis(row.since));
  });
}

/// Without branding, the member is absent. The logo is given as the hash of its file.
void write_branding(json_object& body, const directory_lookup& entry) {
  if (entry.brandings.empty()) return;
  const auto& look = entry.brandings.front().look;
  json_object branding{body.member("branding")};
  branding.text_if("shop_name", look.shop_name);
  branding.text_if("colour", look.colour);
  branding.text_if("support", look.support);
  branding.text_if("logo_sha256", look.logo);
}

}  // namespace

std::string encode_merchants(const std::vector<save_merchant>& merchants, std::string_view next) {
  std::string out;
  {
    json_object body{out};
    write_rows(body, "merchants", merchants, append_merchant);
    text_or_null(body, "next", next);
  }
  return out;
}

std::string encode_merchant_entry(const directory_lookup& entry) {
  return encode_entry(entry, [](json_object& body, const directory_lookup& of) {
    append_merchant(body, of.merchants.front());
    write_branding(body, of);
    write_keys(body, of);
    write_routes(body, of);
    write_connections(body, of);
    write_destinations(body, of);
    write_users(body, of);
  });
}

std::string encode_keys(const directory_lookup& entry) { return encode_entry(entry, write_keys); }
std::string encode_routes(const directory_lookup& entry) { return encode_entry(entry, write_routes); }
std::string encode_connections(const directory_lookup& entry) { return encode_entry(entry, write_connections); }
std::string encode_users(const directory_lookup& entry) { return encode_entry(entry, write_users); }

}  // namespace gateway::http
