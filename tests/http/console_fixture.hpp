// The operators' console over scripted actors: operators in a map, and a browser on this machine.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "gateway/domain/url.hpp"
#include "http/operator/console/console.hpp"
#include "http/operator/console/console_credentials.hpp"
#include "http/portal/second_factor.hpp"
#include "routes_fixture.hpp"

namespace gateway::http::testing {

inline const std::string operator_password = "a long enough password";

/// The value of a hidden field of a page.
inline std::string hidden_value_in(const response& page, const std::string& name) {
  const auto at = page.body.find("name=\"" + name + "\" value=\"");
  if (at == page.body.npos) return {};
  const auto begin = at + name.size() + 15;
  return page.body.substr(begin, page.body.find('"', begin) - begin);
}

struct console_fixture : gateway_fixture {
  operator_console console{config.console_session_idle};
  std::map<std::string, stored_operator> operators;  ///< by operator_key
  const std::string secret = std::string(totp_secret_size, 's');
  std::string cookie;
  std::string from = "127.0.0.1";

  console_fixture() {
    shared.console = &console;
    shared.console_url = "http://127.0.0.1:9443/console";
    scene.of<find_operator>() = [this](const find_operator& what) -> caf::expected<operator_lookup> {
      const auto row = operators.find(what.key);
      return row == operators.end() ? operator_lookup{} : operator_lookup{row->second};
    };
    scene.of<find_operators>() = [this](const find_operators&) -> caf::expected<operators_lookup> {
      operators_lookup all;
      for (const auto& [key, who] : operators)
        all.operators.push_back({who.name, who.role, !who.password_hash.empty()});
      return all;
    };
    scene.commits = [this](const unit_of_work& unit) { return apply(unit); };
    scene.verifies = [](const verify_password& what) { return what.stored == "hash of " + what.password; };
    add("Ann", operator_role::admin);
    add("Sue", operator_role::support);
    add("Vic", operator_role::viewer);
  }

  /// With a password and a second factor.
  void add(const std::string& name, operator_role role) {
    stored_operator who;
    who.name = name;
    who.role = role;
    who.password_hash = "hash of " + operator_password;
    who.sealed_totp = seal_totp_secret(shared.second_factor_key, factor_owner(operator_key_of(name)), secret);
    operators.insert_or_assign(operator_key_of(name), who);
  }
  commit_outcome apply(const unit_of_work& unit) {
    for (const auto& row : unit.inserts)
      if (const auto* added = std::get_if<save_operator>(&row))
        if (!operators.emplace(operator_key_of(added->name), stored_operator{*added}).second)
          return commit_outcome::duplicate_record;
    bool lost = false;
    for (const auto& claim : unit.claims)
      lost = lost || !std::visit([this](const auto& one) { return claims(one); }, claim);
    return lost ? commit_outcome::lost_claim : commit_outcome::committed;
  }

  response ask_console(std::string_view method, std::string_view path, std::string_view body = {},
                       std::string_view query = {}) {
    auto in = unsigned_request(method, path, body, "application/x-www-form-urlencoded");
    in.remote_address = from;
    in.query = query;
    in.has_query = !query.empty();
    const auto sent = "console-session=" + cookie;
    if (!cookie.empty()) in.cookie = sent;
    auto out = run(in, handle_metrics);
    if (const auto set = header(out, "Set-Cookie"); set.starts_with("console-session="))
      cookie = set.substr(16, set.find(';') - 16);
    return out;
  }
  /// The code of the app at the fixture's time.
  std::string code() const { return totp_code(secret, totp_step_at(clock.now())); }
  response try_sign_in(const std::string& name, const std::string& password, const std::string& typed_code) {
    const auto csrf = hidden_value_in(ask_console("GET", "/console/sign-in"), "csrf");
    return ask_console("POST", "/console/sign-in",
                       "csrf=" + csrf + "&action=sign-in&name=" + percent_encoded(name) +
                           "&password=" + percent_encoded(password) + "&code=" + typed_code);
  }
  response try_right(const std::string& name) { return try_sign_in(name, operator_password, code()); }
  void enter(const std::string& name = "Ann") { REQUIRE(try_right(name).status == 303); }
  response press(const std::string& fields, std::string_view path = "/console", std::string_view query = {}) {
    const auto csrf = hidden_value_in(ask_console("GET", "/console"), "csrf");
    return ask_console("POST", path, "csrf=" + csrf + "&" + fields, query);
  }
  /// A command of gatewayctl.
  response command(std::string_view path, std::string_view body) {
    auto in = unsigned_request("POST", path, body);
    return run(in, handle_operator);
  }

 private:
  template <class Claim>
  bool claims(const Claim&) {
    return true;
  }
  bool claims(const spend_operator_code& spent) {
    const auto row = operators.find(spent.key);
    if (row == operators.end()) return false;
    auto& who = row->second;
    if (who.password_hash != spent.password_hash || who.sealed_totp != spent.sealed_totp || who.totp_step >= spent.step)
      return false;
    who.totp_step = spent.step;
    return true;
  }
  bool claims(const drop_operator& dropped) { return operators.erase(dropped.key) != 0; }
  bool claims(const reset_operator& reset) {
    const auto row = operators.find(reset.key);
    if (row == operators.end()) return false;
    auto& who = row->second;
    who.password_hash.clear();
    who.sealed_totp.clear();
    who.totp_step = 0;
    who.setup_id = reset.setup_id;
    who.setup_ends_at = reset.setup_ends_at;
    return true;
  }
  bool claims(const set_up_operator& set) {
    const auto row = operators.find(set.key);
    if (row == operators.end() || row->second.setup_id != set.setup_id || row->second.setup_ends_at <= set.at)
      return false;
    row->second.password_hash = set.password_hash;
    row->second.sealed_totp = set.sealed_totp;
    row->second.setup_id.clear();
    return true;
  }
};

}  // namespace gateway::http::testing
