// How an owner and an operator change the look of a merchant's checkout.
#include "../png_file.hpp"
#include "http/html/forms.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using gateway::testing::png_file;
using namespace std::chrono_literals;

namespace {

struct branding_fixture : gateway_fixture {
  const std::string path = "/portal/merch_1/test/branding";
  const std::string cookie = std::string(64, 'a');
  const std::string jar = "__Host-session=" + cookie;
  const std::string token = csrf_token(shared.form_key, cookie, "page\n" + path);
  member_role role = member_role::owner;
  std::vector<set_branding> sent;

  branding_fixture() {
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h, role); };
    scene.operators = [this](const operator_command& what) -> caf::result<operator_result> {
      if (const auto* wanted = std::get_if<set_branding>(&what)) sent.push_back(*wanted);
      return operator_result{named_result{"merch_1", "saved"}};
    };
  }
  response open() {
    auto in = unsigned_request("GET", path);
    in.cookie = jar;
    return run(in);
  }
  response post(std::string_view body, std::string_view type) {
    auto in = unsigned_request("POST", path, body, type);
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  response upload(const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string body;
    for (const auto& [name, value] : fields)
      body += "--edge\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    return post(body + "--edge--\r\n", "multipart/form-data; boundary=edge");
  }
  std::pair<int, std::string> ask_socket(std::string_view body) {
    const auto out = run(unsigned_request("POST", "/operator/merchants/branding", body), handle_operator);
    return {out.status, out.body};
  }
};

bool branding_shows(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(branding_fixture, "an owner changes name, colour, contact and logo in one form") {
  const auto page = open();
  CHECK(page.status == 200);
  CHECK(branding_shows(page, "enctype=\"multipart/form-data\""));
  CHECK(branding_shows(page, "type=\"file\" name=\"logo\" accept=\"image/png\""));
  const auto logo = png_file{}.text();
  const auto saved = upload({{"csrf", token},
                             {"name", " Tea House "},
                             {"colour", "#0A7D4F"},
                             {"support", "help@tea.example"},
                             {"logo", logo},
                             {"action", "save"}});
  CHECK(saved.status == 303);
  CHECK(header(saved, "Location") == "https://pay.example/portal/merch_1/test/branding?done=save-branding");
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].merchant == merchant_id{"merch_1"});
  CHECK(sent[0].shop_name == "Tea House");
  CHECK(sent[0].colour == "#0A7D4F");
  CHECK(sent[0].support == "help@tea.example");
  CHECK(sent[0].logo == logo);
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].action == "change branding");

  // Without a file the logo stays.
  CHECK(upload({{"csrf", token}, {"name", ""}, {"colour", ""}, {"support", ""}, {"logo", ""}, {"action", "save"}})
            .status == 303);
  CHECK_FALSE(sent.back().logo);
  CHECK(sent.back().colour == "");
  CHECK(post("csrf=" + token + "&action=remove-logo", "application/x-www-form-urlencoded").status == 303);
  CHECK(sent.back().logo == "");
  CHECK_FALSE(sent.back().colour);
}

TEST_CASE_METHOD(branding_fixture, "each fault is shown beside its field, and nothing is changed") {
  const auto page = upload({{"csrf", token},
                            {"name", "a\tb"},
                            {"colour", "#ffff00"},
                            {"support", "javascript:alert(1)"},
                            {"logo", "GIF89a"},
                            {"action", "save"}});
  CHECK(page.status == 422);
  for (const auto* words : {"id=\"branding-name-fault\" role=\"alert\">The name must be one line",
                            "id=\"branding-colour-fault\" role=\"alert\">The colour is too light",
                            "id=\"branding-support-fault\" role=\"alert\">Write an e-mail address",
                            "id=\"branding-logo-fault\" role=\"alert\">The file must be a PNG", "value=\"#ffff00\""}) {
    CAPTURE(words);
    CHECK(branding_shows(page, words));
  }
  CHECK(sent.empty());
}

TEST_CASE_METHOD(branding_fixture, "a form without the page's token, or of a viewer, changes nothing") {
  CHECK(upload({{"name", "Tea"}, {"action", "save"}}).status == 403);
  CHECK(upload({{"csrf", std::string(64, '0')}, {"name", "Tea"}, {"action", "save"}}).status == 403);
  CHECK(upload({{"csrf", token}, {"action", "dance"}}).status == 400);
  role = member_role::viewer;
  CHECK(upload({{"csrf", token}, {"name", "Tea"}, {"action", "save"}}).status == 403);
  const auto page = open();
  CHECK(page.status == 200);
  CHECK_FALSE(branding_shows(page, "value=\"save\""));
  CHECK(sent.empty());
}

TEST_CASE_METHOD(branding_fixture, "an operator changes what the command names, and removes what is empty") {
  const auto logo = png_file{}.text();
  CHECK(ask_socket(R"({"merchant_id":"merch_1","colour":"#0a7d4f","logo":")" + crypto::base64url(logo) + "\"}") ==
        std::pair{200, std::string{R"({"id":"merch_1","status":"saved"})"}});
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].colour == "#0a7d4f");
  CHECK(sent[0].logo == logo);
  CHECK_FALSE(sent[0].shop_name);
  CHECK_FALSE(sent[0].support);
  CHECK(ask_socket(R"({"merchant_id":"merch_1","shop_name":"","support":"","logo":""})").first == 200);
  CHECK(sent.back().shop_name == "");
  CHECK(sent.back().logo == "");
  for (const auto* body :
       {R"({"colour":"#0a7d4f"})", R"({"merchant_id":"merch_1","colour":"#ffff00"})",
        R"({"merchant_id":"merch_1","support":"pigeon"})", R"({"merchant_id":"merch_1","logo":"not base64url!"})",
        R"({"merchant_id":"merch_1","logo":"R0lGODlh"})"}) {
    CAPTURE(body);
    CHECK(ask_socket(body).first == 400);
  }
  CHECK(sent.size() == 2);
}
