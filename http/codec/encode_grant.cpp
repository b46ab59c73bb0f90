#include "encode_grant.hpp"

#include <string_view>

#include "http/status.hpp"
#include "json_writer.hpp"

namespace gateway::http {
namespace {

/// Appends the scopes' names as a list.
void append_scopes(std::string& out, scope_set scopes) {
  out += '[';
  bool first = true;
  for (const auto& row : scope_names) {
    if ((scopes.bits & static_cast<std::uint32_t>(row.value)) == 0) continue;
    if (!first) out += ',';
    first = false;
    append_json_string(out, row.name);
  }
  out += ']';
}

class json_grant_encoder final : public grant_encoder {
 public:
  answer exchanged(const grant_binding& subject, const entity_id& merchants_entity) const override {
    const auto& given = subject.newest.value();
    std::string out;
    {
      json_object body{out};
      body.text("merchant_id", subject.key.merchant.value);
      body.text("entity_id", merchants_entity.value);
      body.text("grant_id", given.id.value);
      append_scopes(body.member("granted_scopes"), given.scopes);
      body.text("granted_at", format_seconds(given.granted_at));
      body.text("platform_id", subject.key.id);
      body.text("token_type", "merchant_id");
    }
    return {status::ok, std::move(out)};
  }

  answer revoked() const override { return {status::no_content, {}}; }
};

void append_grant(std::string& out, const entity_key& binding, const grant& one) {
  json_object object{out};
  object.text("grant_id", one.id.value);
  object.text("platform_id", binding.id);
  object.text("merchant_id", binding.merchant.value);
  object.text("mode", to_string(binding.env));
  append_scopes(object.member("scopes"), one.scopes);
  object.text("status", to_string(one.revoked_at ? grant_state::revoked : grant_state::active));
  object.text("granted_at", format_seconds(one.granted_at));
  if (one.revoked_at) {
    object.text("revoked_at", format_seconds(*one.revoked_at));
    object.text("reason", one.revoke_reason);
  } else {
    object.member("revoked_at") += "null";
    object.member("reason") += "null";
  }
}

}  // namespace

std::unique_ptr<grant_encoder> make_grant_encoder() { return std::make_unique<json_grant_encoder>(); }

std::string encode_grants(const std::vector<std::pair<entity_key, grant>>& grants) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("grants");
    list += '[';
    for (std::size_t i = 0; i < grants.size(); ++i) {
      if (i != 0) list += ',';
      append_grant(list, grants[i].first, grants[i].second);
    }
    list += ']';
  }
  return out;
}

}  // namespace gateway::http
