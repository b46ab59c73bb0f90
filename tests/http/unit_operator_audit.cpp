// The operator socket's routes about the audit log, and the entries that operators' commands leave on it.
#include "gateway/ports/store/audit_check.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

struct audit_routes : gateway_fixture {
  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }
  boost::json::object object_of(std::string_view path, std::string_view body) {
    const auto out = ask_operator(path, body);
    INFO(out.body);
    REQUIRE(out.status == 200);
    return boost::json::parse(out.body).as_object();
  }
};

save_audit revocation(int number) {
  save_audit entry;
  entry.user = user_id{"operator:ada"};
  entry.at = noon + std::chrono::milliseconds{number};
  entry.id = "audit_" + std::to_string(number);
  entry.address = "operator socket";
  entry.action = "revoke key";
  entry.subject = "mk_test_1";
  entry.merchant = merchant_id{"merch_1"};
  entry.env = environment::test;
  entry.before = R"({"key":{"status":"active"}})";
  entry.after = R"({"key":{"status":"revoked"}})";
  return entry;
}

/// `count` entries of one chain, and its head.
audit_chain_lookup chain_of(int count) {
  audit_chain_lookup part;
  part.chain = 0;
  part.head = audit_head{};
  for (int i = 1; i <= count; ++i) {
    const auto what = revocation(i);
    auto link = audit_link_after(0, part.head->number, part.head->hash, fields_of(what));
    part.head->number = link.number;
    part.head->hash = link.hash;
    part.entries.push_back({what, std::move(link)});
  }
  part.later = part.head;
  return part;
}

std::string text_at(const boost::json::object& object, const char* name) {
  return boost::json::value_to<std::string>(object.at(name));
}

}  // namespace

TEST_CASE_METHOD(audit_routes, "an entry says who changed what, when, from where, before and after, and its hashes") {
  const auto linked = chain_of(1).entries.at(0);
  audit_entry person{revocation(2), std::nullopt, "eve@example.com"};
  person.what.user = user_id{"user_eve"};
  person.what.before.clear();
  person.what.env.reset();
  scene.of<find_audit_entries>() = [&](const find_audit_entries&) { return audit_entries_lookup{{linked, person}}; };
  const auto entries = object_of("/operator/audit/list", "{}").at("entries").as_array();
  REQUIRE(entries.size() == 2);
  const auto& first = entries[0].as_object();
  CHECK(text_at(first, "audit_id") == "audit_1");
  CHECK(text_at(first, "occurred_at") == "2026-11-20T12:00:00.001Z");
  CHECK(text_at(first, "actor") == "ada");
  CHECK(text_at(first, "actor_kind") == "operator");
  CHECK(text_at(first, "address") == "operator socket");
  CHECK(text_at(first, "action") == "revoke key");
  CHECK(text_at(first, "subject") == "mk_test_1");
  CHECK(text_at(first, "merchant_id") == "merch_1");
  CHECK(text_at(first, "mode") == "test");
  CHECK(first.at("before").at("key").at("status").as_string() == "active");
  CHECK(first.at("after").at("key").at("status").as_string() == "revoked");
  CHECK(first.at("linked").as_bool());
  CHECK(text_at(first, "hash") == linked.link->hash);
  CHECK(first.at("previous_hash").is_null());
  const auto& second = entries[1].as_object();
  CHECK(text_at(second, "actor") == "eve@example.com");
  CHECK(text_at(second, "actor_kind") == "person");
  CHECK(second.at("before").is_null());
  CHECK(second.at("mode").is_null());
  CHECK_FALSE(second.at("linked").as_bool());
  CHECK(second.at("hash").is_null());
}

TEST_CASE_METHOD(audit_routes, "a state that somebody replaced by something else than an object is shown as text") {
  auto entry = chain_of(1).entries.at(0);
  entry.what.after = R"({"a":1}],"ok":true)";
  scene.of<find_audit_entries>() = [&](const find_audit_entries&) { return audit_entries_lookup{{entry}}; };
  const auto entries = object_of("/operator/audit/list", "{}").at("entries").as_array();
  CHECK(text_at(entries.at(0).as_object(), "after") == entry.what.after);
}

TEST_CASE_METHOD(audit_routes, "the list goes on where the page before ended, and has no next without another entry") {
  std::vector<find_audit_entries> asked;
  scene.of<find_audit_entries>() = [&](const find_audit_entries& query) {
    asked.push_back(query);
    audit_entries_lookup found;
    for (int i = 1; i <= 2; ++i) found.entries.push_back({revocation(i), std::nullopt});
    return found;
  };
  const auto page =
      object_of("/operator/audit/list",
                R"({"merchant_id":"merch_1","from":"2026-11-20T11:00:00Z","to":"2026-11-20T13:00:00.500Z","limit":1})");
  CHECK(page.at("entries").as_array().size() == 1);
  CHECK(asked.back().merchant.value == "merch_1");
  CHECK(asked.back().from == noon - std::chrono::hours{1});
  CHECK(asked.back().until == noon + std::chrono::hours{1} + std::chrono::milliseconds{500});
  CHECK(asked.back().limit == 2);
  const auto rest = R"({"limit":2,"after":")" + text_at(page, "next") + R"("})";
  CHECK_FALSE(object_of("/operator/audit/list", rest).contains("next"));
  REQUIRE(asked.back().after);
  CHECK(asked.back().after->at == revocation(1).at);
  CHECK(asked.back().after->id == "audit_1");
  for (const auto* wrong : {R"({"after":"x"})", R"({"from":"yesterday"})", R"({"limit":0})", R"({"limit":1001})"}) {
    INFO(wrong);
    CHECK(ask_operator("/operator/audit/list", wrong).status == 400);
  }
}

TEST_CASE_METHOD(audit_routes, "a whole chain passes, and a changed entry is named") {
  auto part = chain_of(3);
  std::optional<find_audit_chain> asked;
  scene.of<find_audit_chain>() = [&](const find_audit_chain& query) {
    asked = query;
    return part;
  };
  scene.of<find_audit_heads>() = [](const find_audit_heads&) { return audit_heads_lookup{{}, 5, {}}; };
  auto answer = object_of("/operator/audit/verify", "{}");
  CHECK(answer.at("ok").as_bool());
  CHECK(answer.at("entries").as_int64() == 3);
  CHECK(answer.at("unlinked").as_int64() == 5);
  CHECK(answer.at("head").at("number").as_int64() == 3);
  CHECK_FALSE(answer.contains("next"));
  CHECK_FALSE(asked->chain);

  part.entries[1].what.action = "mint key";
  part.next = 7;
  answer = object_of("/operator/audit/verify", R"({"chain":0,"number":0,"id":"","hash":""})");
  CHECK_FALSE(answer.at("ok").as_bool());
  const auto& problem = answer.at("problems").as_array().at(0).as_object();
  CHECK(text_at(problem, "problem") == "changed");
  CHECK(problem.at("number").as_int64() == 2);
  CHECK(text_at(problem, "audit_id") == "audit_2");
  CHECK(answer.at("next").at("chain").as_int64() == 7);
  CHECK(answer.at("unlinked").as_int64() == 0);
}

TEST_CASE_METHOD(audit_routes, "the end that the process log named is compared with the entry") {
  const auto part = chain_of(2);
  scene.of<find_audit_chain>() = [&](const find_audit_chain& query) {
    auto found = part;
    std::erase_if(found.entries, [&](const audit_entry& one) { return one.link->number <= query.after; });
    return found;
  };
  const auto ok = [&](int number, const std::string& hash) {
    return object_of("/operator/audit/compare",
                     R"({"chain":0,"number":)" + std::to_string(number) + R"(,"hash":")" + hash + R"("})")
        .at("ok")
        .as_bool();
  };
  CHECK(ok(2, part.head->hash));
  CHECK_FALSE(ok(1, part.head->hash));
  CHECK_FALSE(ok(3, part.head->hash));
}

TEST_CASE_METHOD(audit_routes, "each command to the directory carries an entry with the operator's name") {
  publish_merchant();
  scene.operators = [](const operator_command&) -> operator_result { return named_result{"id", "done"}; };
  struct row {
    const char* path;
    const char* body;
    const char* action;
    const char* subject;
    const char* merchant;
  };
  const row rows[] = {
      {"/operator/merchants", R"({"name":"Shop","entity":"standard"})", "create merchant", "Shop", ""},
      {"/operator/keys", R"({"merchant_id":"merch_1","mode":"test"})", "mint key", "", "merch_1"},
      {"/operator/keys/revoke", R"({"key_id":"mk_test_x"})", "revoke key", "mk_test_x", ""},
      {"/operator/users", R"({"merchant_id":"merch_1","email":"e@shop.example","password":"correct horse battery"})",
       "add user", "e@shop.example", "merch_1"},
      {"/operator/connections", R"({"merchant_id":"merch_1","mode":"live","provider":"sandbox","status":"connected"})",
       "set connection", "sandbox", "merch_1"},
      {"/operator/platforms/status", R"({"platform_id":"plat_1","status":"suspended"})", "suspend platform", "plat_1",
       ""},
      {"/operator/destinations/disable", R"({"destination_id":"dest_x","reason":"r"})", "disable destination", "dest_x",
       ""}};
  for (const auto& each : rows) {
    INFO(each.path);
    scene.notes.clear();
    CHECK(ask_operator(each.path, each.body).status == 200);
    REQUIRE(scene.notes.size() == 1);
    const auto& note = scene.notes.front();
    CHECK(note.user.value.starts_with("operator:"));
    CHECK(note.at == noon);
    CHECK(note.id.starts_with("audit_"));
    CHECK_FALSE(note.address.empty());
    CHECK(note.action == each.action);
    CHECK(note.subject == each.subject);
    CHECK(note.merchant.value == each.merchant);
    CHECK(note.subject.find("correct horse") == std::string::npos);
  }
}
