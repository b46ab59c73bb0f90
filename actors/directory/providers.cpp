#include "providers.hpp"

#include <optional>
#include <utility>

#include <boost/json.hpp>

#include "gateway/base/log.hpp"
#include "gateway/ports/sealed_texts.hpp"

namespace gateway::actors {

namespace {

std::string shown(provider_kind kind, environment env) {
  return std::string{to_string(kind)}.append(":").append(to_string(env));
}

std::string sealed_to(provider_kind kind, environment env) {
  return bound_to(sealed_column::provider, to_string(kind), to_string(env));
}

std::string settings_text(const provider_settings& settings) {
  boost::json::object object;
  for (const auto& [name, value] : settings.values) object.emplace(name, value);
  return boost::json::serialize(object);
}

std::optional<provider_settings> settings_from(std::string_view text) {
  boost::json::error_code failed;
  const auto parsed = boost::json::parse(text, failed);
  if (failed || !parsed.is_object()) return std::nullopt;
  provider_settings settings;
  for (const auto& [name, value] : parsed.get_object()) {
    if (!value.is_string()) return std::nullopt;
    settings.values.emplace_back(std::string{name}, std::string{value.get_string()});
  }
  return settings;
}

}  // namespace

void configured_providers::adopt(const directory_lookup& rows) {
  for (const auto& row : rows.providers) published_.publish(row.provider, row.env, opened(row));
}

/// Null: not configured. Unreadable settings are not logged, nor is the reason, which could quote them.
std::shared_ptr<const provider_settings> configured_providers::opened(const save_provider& row) const {
  if (row.sealed_settings.empty()) return nullptr;
  const auto text = keys_.open(row.sealed_settings, sealed_to(row.provider, row.env));
  auto settings = text ? settings_from(*text) : std::nullopt;
  if (!settings) {
    log::error("provider_settings_unreadable",
               {{"provider", to_string(row.provider)}, {"environment", to_string(row.env)}});
    return nullptr;
  }
  return std::make_shared<const provider_settings>(*std::move(settings));
}

std::string configured_providers::changes(const configure_provider& wanted) {
  return "provider " + shown(wanted.provider, wanted.env);
}

planned configured_providers::prepare(const configure_provider& wanted) {
  const bool none = wanted.settings.values.empty();
  save_provider row{wanted.provider, wanted.env, {}, clock_.now()};
  if (!none) row.sealed_settings = keys_.seal(settings_text(wanted.settings), sealed_to(wanted.provider, wanted.env));
  plan p;
  p.unit.inserts.push_back(std::move(row));
  p.when_duplicate = "the provider changed meanwhile";
  p.apply = [this, wanted, none]() -> operator_result {
    published_.publish(wanted.provider, wanted.env,
                       none ? nullptr : std::make_shared<const provider_settings>(wanted.settings));
    return named_result{shown(wanted.provider, wanted.env), none ? "not_configured" : "configured"};
  };
  return p;
}

}  // namespace gateway::actors
