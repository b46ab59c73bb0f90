#include "settings.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/domain/url.hpp"

namespace gateway::actors::stripe {

namespace {

constexpr std::string_view public_api = "https://api.stripe.com";

constexpr std::array rows{
    provider_setting_row{"secret_key", true, true, {}, "the platform's secret key, sk_... or a restricted one, rk_..."},
    provider_setting_row{"publishable_key", false, true, {}, "the platform's publishable key, pk_..."},
    provider_setting_row{"webhook_secret",
                         true,
                         false,
                         {},
                         "the signing secret of the notification endpoint, whsec_...; two, with a comma between, while "
                         "it is rolled; set by provider register-notifications"},
    provider_setting_row{"webhook_endpoint", false, false, {}, "set by provider register-notifications: its endpoint"},
    provider_setting_row{"api_base", false, false, public_api, "where the API is reached"},
};

bool has_control_character(std::string_view text) noexcept { return std::ranges::any_of(text, is_control); }

/// For the kind `sk_` a key begins with `sk_test_` or `sk_live_`.
bool is_key(std::string_view key, std::string_view kind, environment env) noexcept {
  if (!key.starts_with(kind)) return false;
  key.remove_prefix(kind.size());
  if (!key.starts_with(to_string(env))) return false;
  key.remove_prefix(to_string(env).size());
  return key.size() > 1 && key.front() == '_' && key.find_first_of(" ,") == key.npos;
}

std::optional<std::string> fault_of_secrets(const std::vector<std::string_view>& secrets) {
  if (secrets.size() > 2) return "webhook_secret: at most two, with a comma between";
  for (const auto each : secrets)
    if (!each.starts_with("whsec_") || each.size() == 6 || each.find(' ') != each.npos)
      return "webhook_secret: must begin with whsec_, each of two that have a comma between";
  return std::nullopt;
}

bool is_origin_of_this_machine(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme) || url.size() > most_url_bytes || !has_only_url_characters(url)) return false;
  const auto at = read_authority(url);
  return at && at->rest.empty() && is_this_machine(at->host) && is_port(at->port);
}

bool is_https_origin(std::string_view url) {
  const auto at = read_authority(url);
  return https_origin_of(url).has_value() && at && at->rest.empty();
}

}  // namespace

std::span<const provider_setting_row> setting_rows() noexcept { return rows; }

std::vector<std::string_view> webhook_secrets(const provider_settings& values) {
  std::vector<std::string_view> secrets;
  auto rest = values.find("webhook_secret");
  while (true) {
    const auto comma = rest.find(',');
    secrets.push_back(rest.substr(0, comma));
    if (comma == rest.npos) return secrets;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<std::string> fault_of_settings(const provider_settings& values, environment env, bool dev) {
  for (const auto& [name, value] : values.values)
    if (has_control_character(value)) return name + ": must not contain control characters";
  const std::string mode{to_string(env)};
  const auto secret = values.find("secret_key");
  if (!is_key(secret, "sk_", env) && !is_key(secret, "rk_", env))
    return "secret_key: must begin with sk_" + mode + "_ or rk_" + mode + "_ in the environment " + mode;
  if (!is_key(values.find("publishable_key"), "pk_", env))
    return "publishable_key: must begin with pk_" + mode + "_ in the environment " + mode;
  const auto endpoint = values.find("webhook_endpoint");
  if (!endpoint.empty() && (!endpoint.starts_with("we_") || !is_provider_id(endpoint)))
    return "webhook_endpoint: must be the id of an endpoint, we_...";
  if (!values.find("webhook_secret").empty())
    if (auto fault = fault_of_secrets(webhook_secrets(values))) return fault;
  const auto base = values.find("api_base");
  if (!base.empty() && !is_https_origin(base) && !(dev && is_origin_of_this_machine(base)))
    return dev ? "api_base: must be https://host, or http:// on this machine, without a path"
               : "api_base: must be https://host, without a path";
  return std::nullopt;
}

provider_settings with_endpoint(provider_settings values, std::string_view endpoint, std::string_view secret) {
  const auto put = [&values](std::string_view name, std::string value) {
    const auto at =
        std::ranges::find(values.values, name, [](const auto& each) -> std::string_view { return each.first; });
    if (at == values.values.end())
      values.values.emplace_back(name, std::move(value));
    else
      at->second = std::move(value);
  };
  std::string secrets{secret};
  const auto before = webhook_secrets(values).front();
  if (!before.empty() && before != secret) secrets.append(1, ',').append(before);
  put("webhook_secret", std::move(secrets));
  put("webhook_endpoint", std::string{endpoint});
  return values;
}

access access_of(const provider_settings& values, std::string_view account) {
  const auto base = values.find("api_base");
  return {std::string{base.empty() ? public_api : base}, std::string{values.find("secret_key")},
          std::string{values.find("publishable_key")}, std::string{account}};
}

}  // namespace gateway::actors::stripe
