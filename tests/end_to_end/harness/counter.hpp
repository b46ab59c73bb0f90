// A merchant with an owner who has signed in to the portal, and with a program of its own.
#pragma once

#include <catch2/catch.hpp>

#include <regex>
#include <string>

#include "merchant.hpp"
#include "platform.hpp"
#include "visitor.hpp"

namespace gateway::e2e {

struct counter {
  gateway_process gateway{gateway_options{}};
  merchant_account shop = new_merchant(gateway, {"Lantern Books", "standard", {}, true});
  std::string user = add_person(gateway, shop.id, "ada@lantern.example");
  visitor owner{gateway};
  api client{gateway, shop.test};

  counter() { enter(owner, "ada@lantern.example"); }

  static void enter(visitor& person, const std::string& email) {
    person.open("/portal/sign-in");
    person.click("sign-in", {{"email", email}, {"password", std::string{owner_password}}});
    REQUIRE(person.answer().status == 200);
  }
  std::string page(const std::string& what, const std::string& mode = "test") const {
    return "/portal/" + shop.id + '/' + mode + '/' + what;
  }
  bool shows(const std::string& what) const { return owner.html().find(what) != std::string::npos; }
  std::string captured_payment(const object& wanted) {
    const auto answer = client.create(wanted);
    REQUIRE(summary_of(answer) == "200 authorized");
    const auto id = json::parse(answer.body)["payment_id"].text();
    REQUIRE(summary_of(client.capture(id)) == "200 captured");
    return id;
  }
  std::string audited(const std::string& action) const {
    return gateway.sql("SELECT subject FROM audit_log WHERE user_id = '" + user + "' AND action = '" + action + "';");
  }
};

/// The first text of the page that matches this pattern.
inline std::string found_in(const std::string& text, const std::string& pattern) {
  std::smatch found;
  return std::regex_search(text, found, std::regex{pattern}) ? found[0].str() : std::string{};
}

}  // namespace gateway::e2e
