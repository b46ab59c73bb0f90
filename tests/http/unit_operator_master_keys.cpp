// The operator socket's routes for the master keys.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using Catch::Contains;

namespace {

struct master_key_routes : gateway_fixture {
  std::vector<std::string> commands;
  std::vector<operator_result> results;  ///< to the commands, in order

  master_key_routes() {
    scene.operators = [this](const operator_command& command) -> operator_result {
      if (std::holds_alternative<offer_master_key>(command)) commands.emplace_back("offer");
      if (const auto* wanted = std::get_if<promote_master_key>(&command)) commands.push_back("promote " + wanted->id);
      if (const auto* wanted = std::get_if<retire_master_key>(&command)) commands.push_back("retire " + wanted->id);
      return results.at(commands.size() - 1);
    };
  }
  response send(std::string_view command, std::string_view body = "{}") {
    return run(unsigned_request("POST", "/operator/master-keys/" + std::string{command}, body), handle_operator);
  }
};

using words = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(master_key_routes, "the keys are listed with what each seals; retired ones are not listed") {
  scene.of<find_master_keys>() = [](const find_master_keys& what) {
    CHECK(what.count);
    using enum master_key_status;
    return master_keys_lookup{{{"k1", "p1", 0, old, {}, noon},
                               {"k2", "p2", 1, retired, {}, noon},
                               {"k3", "p3", 2, current, {}, noon},
                               {"k4", "p4", 3, offered, "k3.wrapped", noon}},
                              {{"", 4}, {"k1", 3}, {"k3", 20}}};
  };
  const auto out = send("list");
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() == R"({"keys":[{"id":"k1","current":false,"sealed":7},{"id":"k3","current":true,"sealed":20},)"
                           R"({"id":"k4","current":false,"sealed":0}]})");
}

TEST_CASE_METHOD(master_key_routes, "a rotation offers a key to all nodes and then makes it the current one") {
  results = {named_result{"k2", "offered"}, named_result{"k2", "current"}};
  const auto out = send("rotate");
  CHECK(out.sent_status() == 200);
  CHECK(out.sent_body() == R"({"id":"k2"})");
  CHECK(commands == words{"offer", "promote k2"});
}

TEST_CASE_METHOD(master_key_routes, "a rotation that cannot be made, or was given up, says why") {
  SECTION("no key is offered") {
    results = {operator_problem{operator_problem::kind::conflict, "No new key."}};
    const auto out = send("rotate");
    CHECK(out.sent_status() == 409);
    CHECK_THAT(std::string{out.sent_body()}, Contains("No new key."));
    CHECK(commands == words{"offer"});
  }
  SECTION("the offer was withdrawn meanwhile") {
    results = {named_result{"k2", "offered"}, no_such("master key", "k2")};
    const auto out = send("rotate");
    CHECK(out.sent_status() == 409);
    CHECK_THAT(std::string{out.sent_body()}, Contains("could not get the new key"));
  }
}

TEST_CASE_METHOD(master_key_routes, "a key is retired by its id, or the refusal is answered") {
  results = {named_result{"k1", "retired"}, operator_problem{operator_problem::kind::conflict, "It is needed."},
             no_such("master key", "k9")};
  CHECK(send("retire", R"({"id":"k1"})").sent_body() == R"({"id":"k1"})");
  CHECK(send("retire", R"({"id":"k1"})").sent_status() == 409);
  CHECK(send("retire", R"({"id":"k9"})").sent_status() == 404);
  CHECK(send("retire").sent_status() == 400);
  CHECK(commands == words{"retire k1", "retire k1", "retire k9"});
}
