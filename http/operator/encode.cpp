#include "encode.hpp"

#include <algorithm>
#include <utility>

#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

/// Returns one object with the members that `write` adds.
template <class Write>
std::string encode_object(Write write) {
  std::string out;
  {
    json_object body{out};
    write(body);
  }
  return out;
}

/// `append` writes one item as JSON.
template <class Items, class Append>
void write_array(json_object& into, std::string_view name, const Items& items, Append append) {
  auto& out = into.member(name);
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out += ',';
    append(out, item);
  }
  out += ']';
}

/// `{"name":[…]}`; `append` writes one row into its object.
template <class Rows, class Append>
void write_list(json_object& body, std::string_view name, const Rows& rows, Append append) {
  write_array(body, name, rows, [&](std::string& out, const auto& row) {
    json_object object{out};
    append(object, row);
  });
}

void time_or_null(json_object& into, std::string_view name, const std::optional<time_point>& at) {
  if (at)
    into.text(name, format_millis(*at));
  else
    into.member(name) += "null";
}

void append_destination(json_object& object, const stored_destination& row, time_point now) {
  const auto& d = row.what;
  object.text("id", d.id.value);
  object.text("kind", to_string(d.kind));
  object.text("owner", d.owner);
  object.text("mode", to_string(d.env));
  object.text("url", d.url);
  object.text_if("name", d.name);
  write_array(object, "events", d.events,
              [&](std::string& out, const std::string& type) { append_json_string(out, type_for(d.kind, type)); });
  if (d.standard_webhooks) object.boolean("standard_webhooks", true);
  object.text("status", to_string(d.status));
  object.text("disabled_reason", d.disabled_reason);
  object.text("created_at", format_millis(d.created_at));
  if (!row.sealed_previous.empty() && row.previous_until && *row.previous_until > now)
    object.text("previous_secret_until", format_millis(*row.previous_until));
}

/// The directory knows every platform's destinations; a destination it does not know is a merchant's.
destination_kind kind_of(const destination_id& id, const directory& known) {
  const auto endpoint = known.find_destination(id);
  return endpoint ? endpoint->what.kind : destination_kind::merchant;
}

void append_last(json_object& object, const std::optional<delivery_attempt>& last) {
  const auto null = [&](std::string_view name) { object.member(name) += "null"; };
  if (last && last->status != 0)
    object.number("last_status", last->status);
  else
    null("last_status");
  if (!last) {
    for (const auto* name : {"last_result", "last_attempt_at", "last_took_ms", "last_answer"}) null(name);
    return;
  }
  object.text("last_result", to_string(last->result));
  object.text("last_attempt_at", format_millis(last->at));
  object.number("last_took_ms", last->took_ms);
  object.text("last_answer", last->excerpt);
}

void append_delivery(json_object& object, const delivery_job& job, const directory& known) {
  const auto& row = job.row;
  object.number("id", row.id);
  object.text("destination_id", row.to.value);
  object.text("event_id", job.event.id);
  object.text("type", type_for(kind_of(row.to, known), job.event.type));
  object.text("status", to_string(row.status));
  object.number("attempts", row.attempts);
  time_or_null(object, "next_attempt_at", row.next_attempt_at);
  append_last(object, row.last);
  object.text("merchant_id", row.subject.merchant.value);
  object.text("mode", to_string(row.subject.env));
  object.text("payment_id", row.subject.id);
  object.text("created_at", format_millis(row.created_at));
}

bool is_shown(const provider_adapter& of, std::string_view name) {
  const auto row = std::ranges::find(of.settings(), name, &provider_setting_row::name);
  return row != of.settings().end() && !row->secret;
}

void append_settings(json_object& object, const provider_adapter& of, const provider_settings& settings) {
  std::vector<std::string> hidden;
  {
    json_object shown{object.member("settings")};
    for (const auto& [name, value] : settings.values) {
      if (is_shown(of, name))
        shown.text(name, value);
      else
        hidden.push_back(name);
    }
  }
  write_texts(object, "secrets", hidden);
}

void append_provider(std::string& out, const provider_adapter& of, environment env, const directory& known,
                     std::string_view base_url) {
  const auto settings = known.find_provider(of.kind(), env);
  const auto kind = to_string(of.kind()), mode = to_string(env);
  json_object object{out};
  object.text("provider", kind);
  object.text("mode", mode);
  object.text("status", settings ? "configured" : "not_configured");
  append_settings(object, of, settings ? *settings : provider_settings{});
  object.text("notifications_url", notifications_url(base_url, of.kind(), env));
}

}  // namespace

void write_texts(json_object& into, std::string_view name, const std::vector<std::string>& texts) {
  write_array(into, name, texts, [](std::string& out, const std::string& text) { append_json_string(out, text); });
}

std::string notifications_url(std::string_view base_url, provider_kind kind, environment env) {
  std::string url{base_url};
  url.append("/v1/public/providers/").append(to_string(kind)).append("/").append(to_string(env));
  return url.append("/notifications");
}

// ---- results of commands ------------------------------------------------------------------------

std::string encode(const created_merchant& made) {
  return encode_object([&](json_object& body) {
    body.text("merchant_id", made.merchant.value);
    body.text("entity_id", made.entity.value);
  });
}

std::string encode(const minted_key& made) {
  return encode_object([&](json_object& body) {
    body.text("key_id", made.id.value);
    body.text("secret", made.secret);
    body.text("scopes", to_string(made.scopes));
  });
}

std::string encode(const saved_platform& made) {
  return encode_object([&](json_object& body) {
    body.text("platform_id", made.id.value);
    body.text("client_id", made.client_id);
  });
}

std::string encode(const added_user& made) {
  return encode_object([&](json_object& body) { body.text("user_id", made.id.value); });
}

std::string encode(const invited_user& made) { return encode(added_user{made.id}); }

std::string encode_invitation(const user_id& user, std::string_view url) {
  return encode_object([&](json_object& body) {
    body.text("user_id", user.value);
    body.text("invitation_url", url);
  });
}

std::string encode(const placed_route& made) {
  return encode_object([&](json_object& body) { body.text("id", made.id); });
}

std::string encode(const destination_secret& made) {
  return encode_object([&](json_object& body) {
    body.text("destination_id", made.id.value);
    body.text("secret", made.secret);
  });
}

std::string encode(const rotated_secret& made) {
  return encode_object([&](json_object& body) {
    body.text("destination_id", made.id.value);
    body.text("secret", made.secret);
    time_or_null(body, "previous_valid_until", made.previous_until);
  });
}

std::string encode(const named_result& made) {
  return encode_object([&](json_object& body) {
    body.text("id", made.id);
    body.text("status", made.status);
  });
}

// ---- lists --------------------------------------------------------------------------------------

std::string encode_platforms(const std::vector<platform>& list) {
  return encode_object([&](json_object& body) {
    write_list(body, "platforms", list, [](json_object& object, const platform& p) {
      object.text("platform_id", p.id.value);
      object.text("client_id", p.slug);
      object.text("name", p.name);
      object.text("status", to_string(p.status));
      write_texts(object, "redirect_uris", p.redirect_uris);
      write_texts(object, "return_origins", p.return_origins);
      object.text("contact", p.contact);
    });
  });
}

std::string encode_providers(const provider_adapters& adapters, const directory& known, std::string_view base_url) {
  std::vector<std::pair<const provider_adapter*, environment>> rows;
  for (const auto& each : adapters)
    if (each)
      for (const auto env : {environment::test, environment::live}) rows.emplace_back(each.get(), env);
  return encode_object([&](json_object& body) {
    write_array(body, "providers", rows, [&](std::string& out, const auto& row) {
      append_provider(out, *row.first, row.second, known, base_url);
    });
  });
}

std::string encode_nodes(std::vector<node_row> nodes) {
  // A joining node serves nothing yet, and its start may still fail.
  std::erase_if(nodes, [](const node_row& n) { return n.status == node_status::joining; });
  return encode_object([&](json_object& body) {
    write_list(body, "nodes", nodes, [](json_object& object, const node_row& n) {
      object.text("node", n.name);
      object.text("address", n.address);
      object.text("status", to_string(n.status));
      object.number("payments", n.payments);
      object.text("last_seen", format_millis(n.last_seen));
    });
  });
}

std::string encode_drained_node(const std::string& name) {
  return encode_object([&](json_object& body) {
    body.text("node", name);
    body.text("status", to_string(node_status::draining));
  });
}

std::string encode_destinations(const destinations_lookup& found, time_point now) {
  return encode_object([&](json_object& body) {
    write_list(body, "destinations", found.destinations,
               [&](json_object& object, const stored_destination& row) { append_destination(object, row, now); });
    if (found.left_out != 0) body.number("left_out", static_cast<std::int64_t>(found.left_out));
  });
}

std::string encode_deliveries(const std::vector<delivery_job>& jobs, const directory& known) {
  return encode_object([&](json_object& body) {
    write_list(body, "deliveries", jobs,
               [&](json_object& object, const delivery_job& job) { append_delivery(object, job, known); });
  });
}

std::string encode_redelivered(std::uint64_t count, const redeliver& command, const std::vector<delivery_job>& now,
                               const directory& known) {
  return encode_object([&](json_object& body) {
    if (command.id != 0)
      write_list(body, "deliveries", now,
                 [&](json_object& object, const delivery_job& job) { append_delivery(object, job, known); });
    body.number("redelivered", static_cast<std::int64_t>(count));
    if (command.id != 0) body.number("id", command.id);
    body.text_if("destination_id", command.to.value);
  });
}

std::string encode_delivery(const delivery_job& job, const directory& known, const std::string& envelope) {
  return encode_object([&](json_object& body) {
    append_delivery(body, job, known);
    body.member("event") += envelope;
  });
}

std::string encode_notifications(const std::vector<notification_ptr>& list) {
  return encode_object([&](json_object& body) {
    write_list(body, "notifications", list, [](json_object& object, const notification_ptr& n) {
      object.text("id", n->key.id);
      object.text("provider", to_string(n->provider));
      object.text("mode", to_string(n->key.env));
      object.text("event_id", n->event_id);
      object.text("type", n->type);
      object.text("account", n->account);
      object.text("state", to_string(n->state));
      object.text("about", n->about);
      object.number("attempts", n->attempts);
      object.text("received_at", format_millis(n->received_at));
    });
  });
}

std::string encode_master_keys(const master_keys_lookup& found) {
  auto keys = found.keys;
  std::erase_if(keys, [](const save_master_key& key) { return key.status == master_key_status::retired; });
  return encode_object([&](json_object& body) {
    write_list(body, "keys", keys, [&](json_object& object, const save_master_key& key) {
      object.text("id", key.id);
      object.boolean("current", key.status == master_key_status::current);
      object.number("sealed", texts_sealed_by(key, found.sealed));
    });
  });
}

std::string encode_key_id(const std::string& id) {
  return encode_object([&](json_object& body) { body.text("id", id); });
}

std::string encode_events(const std::vector<event_record>& events) {
  return encode_object([&](json_object& body) {
    write_list(body, "events", events, [](json_object& object, const event_record& event) {
      object.text("id", event.id);
      object.text("type", event.type);
      object.text("merchant_id", event.subject.merchant.value);
      object.text("mode", to_string(event.subject.env));
      object.text("payment_id", event.subject.id);
      object.text("created", format_millis(event.created));
      object.member("data") += event.data.view();
    });
  });
}

}  // namespace gateway::http
