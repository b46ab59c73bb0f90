#include "compliance.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "gateway/domain/time.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"

namespace gateway::http {
namespace {

void write_duration(json_object& into, std::string_view name, const std::optional<std::chrono::milliseconds>& value) {
  if (value)
    into.number(name, value->count());
  else
    into.member(name) += "null";
}

bool has_key_beside_data(const settings& config) {
  if (!config.master_key_command.empty()) return false;
  return config.master_key.empty() || config.master_key.parent_path() == config.data_dir;
}

/// The database's name and version, which the store reports in a metric; empty if there is none.
std::string engine_in(metrics& meters) {
  for (const auto& family : meters.registry().Collect())
    if (family.name == "gateway_store_info")
      for (const auto& each : family.metric)
        for (const auto& label : each.label)
          if (label.name == "engine") return label.value;
  return {};
}

void write_settings(json_object& facts, const settings& config, const std::string& engine) {
  json_object all{facts.member("settings")};
  write_duration(all, "payments_kept_ms", config.payments_kept);
  write_duration(all, "events_kept_ms", config.events_kept);
  write_duration(all, "deliveries_kept_ms", config.deliveries_kept);
  write_duration(all, "notifications_kept_ms", config.notifications_kept);
  write_duration(all, "idempotency_kept_ms", config.idempotency_kept);
  write_duration(all, "audit_kept_ms", config.audit_kept);
  write_duration(all, "console_session_idle_ms", config.console_session_idle);
  write_duration(all, "portal_session_idle_ms", config.portal_session_idle);
  all.boolean("master_key_command", !config.master_key_command.empty());
  all.boolean("master_key_beside_data", has_key_beside_data(config));
  all.boolean("console", !config.operator_listen.empty());
  all.boolean("dev", config.dev);
  all.boolean("core_dumps", config.core_dumps);
  all.text("store", config.store == "sqlite" ? "sqlite" : "mysql");
  all.text("engine", engine);
}

void write_master_keys(json_object& facts, const master_keys_lookup& found) {
  auto& list = facts.member("master_keys");
  list += '[';
  bool first = true;
  for (const auto& key : found.keys) {
    if (!std::exchange(first, false)) list += ',';
    json_object row{list};
    row.text("id", key.id);
    row.text("status", to_string(key.status));
    row.text("created_at", format_millis(key.created_at));
    row.number("sealed", texts_sealed_by(key, found.sealed));
  }
  list += ']';
}

void write_operators(json_object& facts, const std::vector<listed_operator>& all) {
  auto& list = facts.member("operators");
  list += '[';
  bool first = true;
  for (const auto& each : all) {
    if (!std::exchange(first, false)) list += ',';
    json_object row{list};
    row.text("name", each.name);
    row.text("role", to_string(each.role));
    row.boolean("is_set_up", each.is_set_up);
  }
  list += ']';
}

}  // namespace

boost::asio::awaitable<response> show_compliance_facts(call& c) {
  const auto& shared = c.here.shared;
  auto asking_keys = ask(c.here, find_master_keys{.count = true});
  const auto keys = co_await std::move(asking_keys);
  if (!keys) co_return error_response(code_of(keys.error()));
  auto asking_operators = ask(c.here, find_operators{});
  const auto operators = co_await std::move(asking_operators);
  if (!operators) co_return error_response(code_of(operators.error()));
  std::string out;
  {
    json_object facts{out};
    facts.text("checked_at", format_millis(shared.clock.now()));
    facts.text("node", shared.config.node);
    write_settings(facts, shared.config, engine_in(shared.meters));
    write_master_keys(facts, *keys);
    write_operators(facts, operators->operators);
  }
  co_return answer_with(std::move(out));
}

}  // namespace gateway::http
