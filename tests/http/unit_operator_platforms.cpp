// The operator socket's routes about platforms: the commands to the directory, and the JSON that gatewayctl prints.
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;

namespace {

struct platform_fixture : gateway_fixture {
  response ask_operator(std::string_view path, std::string_view body) {
    return run(unsigned_request("POST", path, body), handle_operator);
  }

  /// The command to the directory that this body causes.
  template <class Command>
  Command asked_by(std::string_view path, std::string_view body) {
    std::optional<Command> asked;
    scene.operators = [&](const operator_command& command) -> operator_result {
      asked = std::get<Command>(command);
      return named_result{"id", "status"};
    };
    const auto out = ask_operator(path, body);
    INFO(out.body);
    REQUIRE(asked);
    return *asked;
  }

  void publish_platform(std::string id, std::string slug, platform_status status = platform_status::active) {
    platform p;
    p.id = platform_id{std::move(id)};
    p.slug = std::move(slug);
    p.name = "Tea \"&\" Cake";
    p.contact = "security@tea.example";
    p.status = status;
    p.redirect_uris = {"https://tea.example/a", "https://tea.example/b?c=d"};
    merchants.publish(std::make_shared<const platform>(std::move(p)));
  }
};

std::string many(std::string_view name, std::size_t count, std::string_view form) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i)
    list += (i == 0 ? "\"" : ",\"") + std::string{form} + std::to_string(i) + ".example\"";
  return "\"" + std::string{name} + "\":[" + list + "]";
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE_METHOD(platform_fixture,
                 "a platform is created with the fields that were sent, each address once and in order") {
  const auto wanted = asked_by<create_platform>(
      "/operator/platforms",
      R"({"name":"Tea","slug":"tea-time","contact":"s@tea.example","return_origins":["https://tea.example"],)"
      R"("redirect_uris":["https://tea.example/b","https://tea.example/a","https://tea.example/b","http://localhost:3000/x"]})");
  CHECK(wanted.name == "Tea");
  CHECK(wanted.slug == "tea-time");
  CHECK(wanted.contact == "s@tea.example");
  CHECK(wanted.redirect_uris == texts{"https://tea.example/b", "https://tea.example/a", "http://localhost:3000/x"});
  CHECK(wanted.return_origins == texts{"https://tea.example"});
}

TEST_CASE_METHOD(platform_fixture,
                 "a change carries the fields that were sent; absent and null fields stay, an empty list does not") {
  auto wanted = asked_by<change_platform>("/operator/platforms/set", R"({"platform_id":"plat_1"})");
  CHECK(wanted.id == platform_id{"plat_1"});
  CHECK_FALSE(wanted.name);
  CHECK_FALSE(wanted.contact);
  CHECK_FALSE(wanted.redirect_uris);
  CHECK_FALSE(wanted.return_origins);
  wanted = asked_by<change_platform>("/operator/platforms/set",
                                     R"({"platform_id":"plat_1","name":null,"contact":"n@tea.example",)"
                                     R"("redirect_uris":["https://tea.example/n"],"return_origins":[]})");
  CHECK_FALSE(wanted.name);
  CHECK(wanted.contact == "n@tea.example");
  CHECK(wanted.redirect_uris == texts{"https://tea.example/n"});
  CHECK(wanted.return_origins == texts{});
}

TEST_CASE_METHOD(platform_fixture, "a platform's key gets the named scopes, or the default scopes of a platform") {
  const auto named =
      asked_by<mint_platform_key>("/operator/platform-keys", R"({"platform_id":"plat_1","scopes":"payments:read *"})");
  CHECK(named.platform == platform_id{"plat_1"});
  CHECK(to_string(named.scopes) == "payments:read *");
  CHECK(to_string(asked_by<mint_platform_key>("/operator/platform-keys", R"({"platform_id":"plat_1"})").scopes) ==
        "payments:write payments:read customers:write webhooks:configure");
}

TEST_CASE_METHOD(platform_fixture, "a key has the name that the operator gave, and the operator as its maker") {
  const auto named =
      asked_by<mint_platform_key>("/operator/platform-keys", R"({"platform_id":"plat_1","name":"their server"})");
  CHECK(named.name == "their server");
  CHECK(named.created_by == "operator");  // no Unix user is known
  const auto plain = asked_by<mint_key>("/operator/keys", R"({"merchant_id":"merch_1","mode":"test"})");
  CHECK(plain.name.empty());
  CHECK(plain.created_by == "operator");
}

TEST_CASE_METHOD(platform_fixture, "suspend and resume are two values of one command") {
  for (const auto status : {platform_status::active, platform_status::suspended}) {
    const auto wanted =
        asked_by<set_platform_status>("/operator/platforms/status", R"({"platform_id":"plat_1","status":")" +
                                                                        std::string{to_string(status)} + R"("})");
    CHECK(wanted.id == platform_id{"plat_1"});
    CHECK(wanted.status == status);
  }
}

TEST_CASE_METHOD(platform_fixture, "platforms are listed by their client_id, as they are published") {
  CHECK(ask_operator("/operator/platforms/list", "{}").body == R"({"platforms":[]})");
  publish_platform("plat_2", "tea", platform_status::suspended);
  publish_platform("plat_1", "coffee");
  const std::string rest =
      R"("redirect_uris":["https://tea.example/a","https://tea.example/b?c=d"],"return_origins":[],"contact":"security@tea.example"})";
  CHECK(ask_operator("/operator/platforms/list", "{}").body ==
        R"({"platforms":[{"platform_id":"plat_1","client_id":"coffee","name":"Tea \"&\" Cake","status":"active",)" +
            rest + R"(,{"platform_id":"plat_2","client_id":"tea","name":"Tea \"&\" Cake","status":"suspended",)" +
            rest + "]}");
}

TEST_CASE_METHOD(platform_fixture, "a platform's destination is set once its URL has been checked") {
  publish_platform("plat_1", "tea");
  const auto wanted = asked_by<set_destination>(
      "/operator/destinations",
      R"({"platform_id":"plat_1","mode":"live","url":"https://tea.example/hooks","events":["payment.succeeded"]})");
  CHECK(wanted.kind == destination_kind::platform);
  CHECK(wanted.owner == "plat_1");
  CHECK(wanted.env == environment::live);
  CHECK(wanted.events == texts{"payment.captured"});
  CHECK(outbound.checked == texts{"https://tea.example/hooks"});
  CHECK(outbound.checked_for == texts{"plat_1"});
}

TEST_CASE_METHOD(platform_fixture,
                 "operators' mistakes about platforms name the field, and the directory is not asked") {
  bool asked = false;
  scene.operators = [&](const operator_command&) -> operator_result {
    asked = true;
    return operator_problem{};
  };
  const auto creating = [](std::string_view instead) {
    // A repeated member is a fault of its own, so a member given by the row is left out of the standard ones.
    std::string body = "{";
    for (const auto& [name, value] :
         {std::pair{"name", R"("Tea")"}, std::pair{"slug", R"("tea")"}, std::pair{"contact", R"("a@b.example")"},
          std::pair{"redirect_uris", R"(["https://tea.example/"])"}})
      if (instead.find("\"" + std::string{name} + "\":") == std::string_view::npos)
        body += "\"" + std::string{name} + "\":" + value + ",";
    return body + std::string{instead} + "}";
  };
  const std::pair<std::string, std::string_view> mistakes[] = {
      {R"("name":"")", "name: is required"},
      {R"("name":"   ")", "name: must be"},
      {R"("name":"a\nb")", "name: must be"},
      {"\"name\":\"" + std::string(201, 'x') + "\"", "name: must have at most 200"},
      {R"("slug":"")", "slug: is required"},
      {R"("slug":"Tea")", "slug: must be"},
      {R"("slug":"-tea")", "slug: must be"},
      {R"("slug":"t")", "slug: must be"},
      {"\"slug\":\"" + std::string(64, 'x') + "\"", "slug: must be"},
      {R"("contact":"")", "contact: is required"},
      {R"("contact":"nobody")", "contact: must be an e-mail address"},
      {R"("redirect_uris":[])", "redirect_uris: at least one"},
      {R"("redirect_uris":"https://tea.example/")", "redirect_uris: must be an array"},
      {R"("redirect_uris":["http://tea.example/"])", "http://tea.example/"},
      {R"("redirect_uris":["https://tea.example/#x"])", "redirect_uris: must be https"},
      {R"("redirect_uris":["https://a@tea.example/"])", "redirect_uris: must be https"},
      {R"("redirect_uris":["/back"])", "redirect_uris: must be https"},
      {R"("redirect_uris":[""])", "redirect_uris: must be https"},
      {many("redirect_uris", 33, "https://a"), "redirect_uris: must have at most 32"},
      {R"("return_origins":["https://tea.example/"])", "return_origins: must be written"},
      {R"("return_origins":["https://Tea.example"])", "return_origins: must be written"},
      {R"("return_origins":["https://tea.example:443"])", "return_origins: must be written"},
      {many("return_origins", 33, "https://a"), "return_origins: must have at most 32"},
  };
  for (const auto& [instead, part] : mistakes) {
    INFO(instead);
    const auto out = ask_operator("/operator/platforms", creating(instead));
    CHECK(out.status == 400);
    CHECK(out.body.find(part) != std::string::npos);
    // A change has the same rules, except for the fields that only a new platform has.
    if (instead.find("slug") != std::string::npos) continue;
    const auto changed = ask_operator("/operator/platforms/set", R"({"platform_id":"plat_1",)" + instead + "}");
    CHECK(changed.status == 400);
    CHECK(changed.body.find(part.substr(0, part.find(' '))) != std::string::npos);
  }
  CHECK_FALSE(asked);
  CHECK(ask_operator("/operator/platforms", creating(many("redirect_uris", 32, "https://a"))).status == 409);
  asked = false;
  struct {
    std::string_view path, body, part;
    int status;
  } const others[] = {
      {"/operator/platforms/set", R"({"name":"x"})", "platform_id: is required", 400},
      {"/operator/platforms/status", R"({"status":"suspended"})", "platform_id: is required", 400},
      {"/operator/platforms/status", R"({"platform_id":"plat_1"})", "status: is required", 400},
      {"/operator/platforms/status", R"({"platform_id":"plat_1","status":"gone"})", "status: must be", 400},
      {"/operator/platform-keys", R"({"scopes":"*"})", "platform_id: is required", 400},
      {"/operator/platform-keys", R"({"platform_id":"plat_1","scopes":"payments"})", "scopes: must be", 400},
      {"/operator/destinations", R"({"platform_id":"plat_x","mode":"live","url":"https://a.example"})",
       "There is no platform plat_x.", 404},
  };
  for (const auto& row : others) {
    INFO(row.body);
    const auto out = ask_operator(row.path, row.body);
    CHECK(out.status == row.status);
    CHECK(out.body.find(row.part) != std::string::npos);
  }
  CHECK_FALSE(asked);
}
