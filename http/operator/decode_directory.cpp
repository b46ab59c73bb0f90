#include "decode_directory.hpp"

#include <algorithm>
#include <array>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/branding.hpp"
#include "gateway/domain/text.hpp"
#include "http/codec/decode.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t most_name = 200;
constexpr std::size_t most_email = 320;
constexpr std::size_t most_scopes = 256;
constexpr std::size_t most_account = 255;
constexpr std::size_t most_currencies = 200;
constexpr std::size_t most_methods = 8;
constexpr std::size_t longest_destination_url = 2048;
constexpr std::size_t most_events = 32;
constexpr std::size_t most_reason = 200;
constexpr std::size_t most_encoded_logo = most_logo_bytes * 2;  ///< above a logo's limit, which its check names
constexpr std::int64_t most_overlap_hours = 30 * 24;

environment read_mode(field_reader& fields) {
  const auto mode = fields.required_text("mode", most_operator_id);
  const auto env = parse_environment(mode);
  if (!env) fields.reject("mode", "must be test or live");
  return env.value_or(environment::test);
}

provider_kind read_provider(field_reader& fields) {
  const auto kind = parse_provider_kind(fields.required_text("provider", most_operator_id));
  if (!kind) fields.reject("provider", "is not a provider of this gateway");
  return kind.value_or(provider_kind::sandbox);
}

void check_email(field_reader& fields, std::string_view name, std::string_view value) {
  if (!value.empty() && !looks_like_email(value)) fields.reject(name, "must be an e-mail address");
}

std::string_view description_of(password_fault fault) noexcept {
  switch (fault) {
    case password_fault::too_short: return "must have at least 12 characters";
    case password_fault::too_long: return "must have at most 1024 bytes";
    case password_fault::holds_nul: return "must not contain the character NUL";
  }
  return {};
}

std::optional<member_role> read_role(field_reader& fields) {
  const auto text = fields.text("role", most_operator_id);
  const auto role = parse_member_role(text);
  if (!role && !text.empty()) fields.reject("role", "must be owner or viewer");
  return role;
}

std::vector<currency> read_currencies(field_reader& fields) {
  std::vector<currency> list;
  for (const auto& code : fields.text_list("currencies", most_currencies, most_operator_id)) {
    const auto unit = currency::parse(code);
    if (!unit)
      fields.reject("currencies", "must be ISO 4217 codes in force");
    else if (std::ranges::find(list, *unit) == list.end())
      list.push_back(*unit);
  }
  return list;
}

std::vector<payment_method_kind> read_methods(field_reader& fields) {
  std::vector<payment_method_kind> list;
  for (const auto& name : fields.text_list("methods", most_methods, most_operator_id)) {
    const auto method = parse_payment_method_kind(name);
    if (!method)
      fields.reject("methods", "must be card, recurring_card or pkr_wallet");
    else if (std::ranges::find(list, *method) == list.end())
      list.push_back(*method);
  }
  if (list.empty()) fields.reject("methods", "is required");
  return list;
}

std::vector<std::string> read_events(field_reader& fields) {
  std::vector<std::string> list;
  for (const auto& written : fields.text_list("events", most_events, most_operator_id)) {
    const auto type = stored_event_type(written);
    if (!type)
      fields.reject("events", "'" + written + "' is no event type");
    else if (std::ranges::find(list, *type) == list.end())
      list.emplace_back(*type);
  }
  return list;
}

platform_id read_platform(field_reader& fields) {
  return platform_id{fields.required_text("platform_id", most_operator_id)};
}

scope_set read_scopes(field_reader& fields, std::string_view by_default) {
  const auto names = fields.text("scopes", most_scopes);
  const auto scopes = parse_scopes(names.empty() ? by_default : std::string_view{names});
  if (!scopes) fields.reject("scopes", "must be names of scopes, with blanks between them");
  return scopes.value_or(scope_set{});
}

/// Without duplicates, in the order of the body.
std::vector<std::string> read_urls(field_reader& fields, std::string_view name, std::size_t most) {
  std::vector<std::string> list;
  for (auto& url : fields.text_list(name, most, longest_destination_url))
    if (std::ranges::find(list, url) == list.end()) list.push_back(std::move(url));
  return list;
}

std::string read_contact(field_reader& fields) {
  auto contact = fields.required_text("contact", most_email);
  check_email(fields, "contact", contact);
  return contact;
}

void check_platform(field_reader& fields, const platform& as_it_would_be) {
  if (auto fault = fault_of(as_it_would_be)) fields.reject(error_code::invalid_request, *std::move(fault));
}

destination_id read_destination(field_reader& fields) {
  return destination_id{fields.required_text("destination_id", most_operator_id)};
}

std::optional<std::string> read_destination_name(field_reader& fields) {
  return fields.has("name") ? std::optional{fields.text("name", most_destination_name)} : std::nullopt;
}

/// `on` or `off`; nullopt if absent.
std::optional<bool> read_standard_webhooks(field_reader& fields) {
  const auto word = fields.text("standard_webhooks", most_operator_id);
  if (word.empty()) return std::nullopt;
  if (word != "on" && word != "off") fields.reject("standard_webhooks", "must be on or off");
  return word == "on";
}

}  // namespace

decoded<create_merchant> decode_create_merchant(std::string_view body, std::size_t json_depth) {
  return decode_with<create_merchant>(body, json_depth, [](field_reader& fields, create_merchant& command) {
    command.name = fields.required_text("name", most_name);
    const auto kind = fields.text("entity", most_operator_id);
    if (kind == "wallet")
      command.kind = merchant_kind::wallet;
    else if (!kind.empty() && kind != "standard")
      fields.reject("entity", "must be standard or wallet");
    command.owner_email = fields.text("owner_email", most_email);
    check_email(fields, "owner_email", command.owner_email);
  });
}

decoded<mint_key> decode_mint_key(std::string_view body, std::size_t json_depth) {
  return decode_with<mint_key>(body, json_depth, [](field_reader& fields, mint_key& command) {
    command.merchant = read_named_merchant(fields);
    command.env = read_mode(fields);
    command.scopes = read_scopes(fields, default_merchant_scopes);
    command.name = fields.text("name", most_key_name);
  });
}

decoded<revoke_key> decode_revoke_key(std::string_view body, std::size_t json_depth) {
  return decode_with<revoke_key>(body, json_depth, [](field_reader& fields, revoke_key& command) {
    command.id = key_id{fields.required_text("key_id", most_operator_id)};
  });
}

decoded<add_user> decode_add_user(std::string_view body, std::size_t json_depth) {
  return decode_with<add_user>(body, json_depth, [](field_reader& fields, add_user& command) {
    command.merchant = read_named_merchant(fields);
    command.email = fields.required_text("email", most_email);
    check_email(fields, "email", command.email);
    command.password = fields.required_text("password", most_password_bytes);
    if (const auto fault = fault_of_password(command.password)) fields.reject("password", description_of(*fault));
    command.role = read_role(fields);
  });
}

decoded<invite_user> decode_invite_user(std::string_view body, std::size_t json_depth) {
  return decode_with<invite_user>(body, json_depth, [](field_reader& fields, invite_user& command) {
    command.merchant = read_named_merchant(fields);
    command.email = fields.required_text("email", most_email);
    check_email(fields, "email", command.email);
    command.role = read_role(fields);
  });
}

decoded<std::string> decode_reset_second_factor(std::string_view body, std::size_t json_depth) {
  return decode_with<std::string>(body, json_depth, [](field_reader& fields, std::string& email) {
    email = fields.required_text("email", most_email);
    check_email(fields, "email", email);
  });
}

decoded<set_connection> decode_set_connection(std::string_view body, std::size_t json_depth) {
  return decode_with<set_connection>(body, json_depth, [](field_reader& fields, set_connection& command) {
    command.merchant = read_named_merchant(fields);
    command.link.env = read_mode(fields);
    command.link.provider = read_provider(fields);
    const auto status = parse_connection_status(fields.required_text("status", most_operator_id));
    if (!status) fields.reject("status", "must be not_connected, in_progress, connected or unavailable");
    command.link.status = status.value_or(connection_status::not_connected);
    command.link.account = fields.text("account", most_account);
  });
}

decoded<set_route> decode_set_route(std::string_view body, std::size_t json_depth) {
  return decode_with<set_route>(body, json_depth, [](field_reader& fields, set_route& command) {
    command.merchant = read_named_merchant(fields);
    command.way.env = read_mode(fields);
    command.way.provider = read_provider(fields);
    command.way.currencies = read_currencies(fields);
    command.way.methods = read_methods(fields);
  });
}

decoded<set_branding> decode_set_branding(std::string_view body, std::size_t json_depth) {
  return decode_with<set_branding>(body, json_depth, [](field_reader& fields, set_branding& command) {
    using check = std::optional<std::string> (*)(std::string_view);
    const auto read = [&](std::string_view name, std::optional<std::string>& into, check find_fault) {
      if (!fields.has(name)) return;
      into = fields.text(name, most_support);
      if (auto fault = find_fault(*into)) fields.reject(error_code::invalid_request, name, *std::move(fault));
    };
    command.merchant = read_named_merchant(fields);
    read("shop_name", command.shop_name, fault_of_shop_name);
    read("colour", command.colour, fault_of_colour);
    read("support", command.support, fault_of_support);
    if (!fields.has("logo")) return;
    command.logo = crypto::from_base64url(fields.text("logo", most_encoded_logo));
    if (!command.logo)
      fields.reject("logo", "must be base64url");
    else if (auto fault = command.logo->empty() ? std::nullopt : fault_of_logo(*command.logo))
      fields.reject(error_code::invalid_request, "logo", *std::move(fault));
  });
}

decoded<create_platform> decode_create_platform(std::string_view body, std::size_t json_depth) {
  return decode_with<create_platform>(body, json_depth, [](field_reader& fields, create_platform& command) {
    command.name = fields.required_text("name", most_platform_name);
    command.slug = fields.required_text("slug", most_operator_id);
    command.contact = read_contact(fields);
    command.redirect_uris = read_urls(fields, "redirect_uris", most_redirect_uris);
    command.return_origins = read_urls(fields, "return_origins", most_return_origins);
    platform made;
    made.slug = command.slug;
    made.name = command.name;
    made.redirect_uris = command.redirect_uris;
    made.return_origins = command.return_origins;
    check_platform(fields, made);
  });
}

decoded<change_platform> decode_change_platform(std::string_view body, std::size_t json_depth) {
  return decode_with<change_platform>(body, json_depth, [](field_reader& fields, change_platform& command) {
    command.id = read_platform(fields);
    if (fields.has("name")) command.name = fields.text("name", most_platform_name);
    if (fields.has("contact")) command.contact = read_contact(fields);
    if (fields.has("redirect_uris")) command.redirect_uris = read_urls(fields, "redirect_uris", most_redirect_uris);
    if (fields.has("return_origins")) command.return_origins = read_urls(fields, "return_origins", most_return_origins);
    // Unchanged fields were validated when they were set, so valid placeholders stand in for them here.
    platform changed;
    changed.slug = "as-it-is";
    changed.name = command.name.value_or("as it is");
    changed.redirect_uris = command.redirect_uris.value_or(std::vector<std::string>{"https://as.it.is/"});
    changed.return_origins = command.return_origins.value_or(std::vector<std::string>{});
    check_platform(fields, changed);
  });
}

decoded<set_platform_status> decode_set_platform_status(std::string_view body, std::size_t json_depth) {
  return decode_with<set_platform_status>(body, json_depth, [](field_reader& fields, set_platform_status& command) {
    command.id = read_platform(fields);
    const auto status = parse_platform_status(fields.required_text("status", most_operator_id));
    if (!status) fields.reject("status", "must be active or suspended");
    command.status = status.value_or(platform_status::active);
  });
}

decoded<mint_platform_key> decode_mint_platform_key(std::string_view body, std::size_t json_depth) {
  return decode_with<mint_platform_key>(body, json_depth, [](field_reader& fields, mint_platform_key& command) {
    command.platform = read_platform(fields);
    command.scopes = read_scopes(fields, default_platform_scopes);
    command.name = fields.text("name", most_key_name);
  });
}

decoded<set_destination> decode_set_destination(std::string_view body, std::size_t json_depth) {
  return decode_with<set_destination>(body, json_depth, [](field_reader& fields, set_destination& command) {
    auto owner = read_owner(fields);
    if (owner.id.empty()) fields.reject("merchant_id", "is required, or platform_id");
    command.kind = owner.kind;
    command.owner = std::move(owner.id);
    command.env = read_mode(fields);
    command.url = fields.required_text("url", longest_destination_url);
    command.name = read_destination_name(fields);
    command.standard_webhooks = read_standard_webhooks(fields);
    command.events = read_events(fields);
  });
}

decoded<enable_destination> decode_enable_destination(std::string_view body, std::size_t json_depth) {
  return decode_with<enable_destination>(body, json_depth, [](field_reader& fields, enable_destination& command) {
    command.id = read_destination(fields);
  });
}

decoded<disable_destination> decode_disable_destination(std::string_view body, std::size_t json_depth) {
  return decode_with<disable_destination>(body, json_depth, [](field_reader& fields, disable_destination& command) {
    command.id = read_destination(fields);
    command.reason = fields.text("reason", most_reason);
  });
}

decoded<change_destination_url> decode_change_destination_url(std::string_view body, std::size_t json_depth) {
  return decode_with<change_destination_url>(body, json_depth,
                                             [](field_reader& fields, change_destination_url& command) {
                                               command.id = read_destination(fields);
                                               command.url = fields.required_text("url", longest_destination_url);
                                             });
}

decoded<delete_destination> decode_delete_destination(std::string_view body, std::size_t json_depth) {
  return decode_with<delete_destination>(body, json_depth, [](field_reader& fields, delete_destination& command) {
    command.id = read_destination(fields);
  });
}

decoded<rotate_destination_secret> decode_rotate_destination_secret(std::string_view body, std::size_t json_depth) {
  return decode_with<rotate_destination_secret>(
      body, json_depth, [](field_reader& fields, rotate_destination_secret& command) {
        command.id = read_destination(fields);
        if (const auto hours = fields.integer("overlap_hours", 0, most_overlap_hours))
          command.overlap = std::chrono::hours{*hours};
      });
}

}  // namespace gateway::http
