#include "platform.hpp"

#include <stdexcept>

namespace gateway::e2e {

platform_account new_platform(const gateway_process& gateway, const std::string& slug, const std::string& scopes) {
  platform_account made;
  made.redirect_uri = "https://" + slug + ".example/callback";
  const auto answer = gateway.ctl({"platform", "create", "--name", "The " + slug + " platform", "--slug", slug,
                                   "--contact", "security@" + slug + ".example", "--redirect-uri", made.redirect_uri});
  made.id = answer["platform_id"].text();
  made.client_id = answer["client_id"].text();
  made.key = mint_platform_key(gateway, made.id, scopes);
  return made;
}

credentials mint_platform_key(const gateway_process& gateway, const std::string& platform, const std::string& scopes) {
  std::vector<std::string> words{"platform", "key", "mint", "--platform", platform};
  if (!scopes.empty()) words.insert(words.end(), {"--scopes", scopes});
  const auto minted = gateway.ctl(words);
  return {minted["key_id"].text(), minted["secret"].text()};
}

std::string add_person(const gateway_process& gateway, const std::string& merchant, const std::string& email,
                       const std::string& role) {
  return gateway
      .ctl({"merchant", "user", "add", "--merchant", merchant, "--email", email, "--role", role, "--password-stdin"},
           owner_password)["user_id"]
      .text();
}

std::string authorize_target(const platform_account& who, const std::string& scope, const std::string& mode,
                             const std::string& state) {
  return "/connect/authorize?client_id=" + who.client_id + "&redirect_uri=" + percent_encode(who.redirect_uri) +
         "&scope=" + percent_encode(scope) + "&mode=" + mode + "&state=" + percent_encode(state);
}

std::string consent(visitor& person, const std::string& email, const std::string& target, const std::string& merchant) {
  person.open(target);
  if (person.at().starts_with("/portal/sign-in"))
    person.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
  if (person.left_for().empty())
    person.click("connect", merchant.empty() ? visitor::fields{} : visitor::fields{{"merchant_id", merchant}});
  const auto code = person.brought("code");
  if (code.empty())
    throw std::runtime_error{"no code, but " + std::to_string(person.answer().status) + ' ' + person.left_for() + ' ' +
                             person.html().substr(0, 2'000)};
  return code;
}

reply exchange(api& platform, const platform_account& who, const std::string& code, const call& how) {
  object body;
  body.set("grant_type", "authorization_code").set("code", code).set("redirect_uri", who.redirect_uri);
  return platform.post("/v1/public/connect/token", body.text(), how);
}

platform_grant grant_access(const gateway_process& gateway, const platform_account& who, const std::string& email,
                            const std::string& mode, const std::string& scope) {
  visitor owner{gateway};
  api platform{gateway, who.key};
  const auto answer = exchange(platform, who, consent(owner, email, authorize_target(who, scope, mode)));
  if (answer.status != 200) throw std::runtime_error{"the exchange failed: " + answer.body};
  const auto granted = json::parse(answer.body);
  return {granted["grant_id"].text(), granted["merchant_id"].text()};
}

owned_shop::owned_shop(const gateway_process& gateway)
    : account{new_merchant(gateway, {"Lantern Books", "standard", "", true})},
      email{"o" + new_uuid().substr(0, 8) + "@lantern.example"} {
  add_person(gateway, account.id, email);
}

pair_of_parties::pair_of_parties(gateway_process& at, const std::string& scopes)
    : gateway{at}, name{"p" + new_uuid().substr(0, 8)}, who{new_platform(at, name, scopes)} {
  const owned_shop made{at};
  shop = made.account;
  email = made.email;
}

std::string pair_of_parties::code(const std::string& mode, const std::string& scope) const {
  visitor owner{gateway};
  return consent(owner, email, authorize_target(who, scope, mode));
}

platform_grant pair_of_parties::grant(const std::string& mode, const std::string& scope) const {
  return grant_access(gateway, who, email, mode, scope);
}

call on_behalf_of(const std::string& merchant) {
  call how;
  how.headers = {{"Service-Merchant", merchant}};
  return how;
}

live_platform::live_platform(gateway_process& at)
    : gateway{at},
      name{"p" + new_uuid().substr(0, 8)},
      who{new_platform(at, name, all_scopes)},
      shop{new_merchant(at, {"Lantern Books", "standard", "", true})},
      platform{at, who.key} {
  const auto owner = name + "@lantern.example";
  add_person(gateway, shop.id, owner);
  grant_access(gateway, who, owner, "live", all_scopes);
}

call live_platform::as(call how) const {
  how.headers.emplace_back("Service-Merchant", shop.id);
  return how;
}

}  // namespace gateway::e2e
