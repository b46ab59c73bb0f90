// Where gateway-cli takes its settings from.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "gateway/base/crypto.hpp"
#include "tools/gateway-cli/access.hpp"

using namespace gateway::cli;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A home with a file of profiles, and the environment of a program.
class home_folder {
 public:
  explicit home_folder(const std::string& profiles = {}) {
    fs::create_directories(file().parent_path());
    if (profiles.empty()) return;
    std::ofstream{file()} << profiles;
    fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  }
  ~home_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  home_folder(const home_folder&) = delete;
  home_folder& operator=(const home_folder&) = delete;

  fs::path file() const { return path_ / ".config" / "gateway" / "profiles.toml"; }

  gateway_access read(const std::string& profile, std::map<std::string, std::string> variables = {}) const {
    variables["HOME"] = path_.string();
    return read_access(profile, [&](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional{found->second};
    });
  }

  std::string fault_of(const std::string& profile, const std::map<std::string, std::string>& variables = {}) const {
    try {
      read(profile, variables);
    } catch (const failure& fault) {
      return fault.what();
    }
    return "no fault";
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("gateway-cli-test-" + gateway::crypto::random_hex(8));
};

const std::map<std::string, std::string> whole_environment{{"GATEWAY_URL", "https://gateway.example/"},
                                                           {"GATEWAY_KEY_ID", "mk_test_1"},
                                                           {"GATEWAY_SECRET", "env-secret"},
                                                           {"GATEWAY_CA_FILE", "/env.pem"}};

constexpr const char* profiles = R"(# mine
[shop]   # the shop
url = "https://shop.example"
key_id = "mk_live_1"
secret = 'shop-secret'
ca_file = "/shop.pem"

[half-done]
url = "https://half.example"
)";

}  // namespace

TEST_CASE("the environment names the gateway and the key") {
  const home_folder home;
  const auto who = home.read("", whole_environment);
  CHECK(who.url == "https://gateway.example");
  CHECK(who.key_id == "mk_test_1");
  CHECK(who.secret == "env-secret");
  CHECK(who.ca_file == "/env.pem");
  auto without_authorities = whole_environment;
  without_authorities.erase("GATEWAY_CA_FILE");
  CHECK(home.read("", without_authorities).ca_file.empty());
  for (const auto* each : {"GATEWAY_URL", "GATEWAY_KEY_ID", "GATEWAY_SECRET"}) {
    auto lacking = whole_environment;
    lacking.erase(each);
    CHECK_THAT(home.fault_of("", lacking), Contains(each));
  }
}

TEST_CASE("a profile wins over the environment, which fills in what the profile lacks") {
  const home_folder home{profiles};
  const auto shop = home.read("shop", whole_environment);
  CHECK(shop.url == "https://shop.example");
  CHECK(shop.key_id == "mk_live_1");
  CHECK(shop.secret == "shop-secret");
  CHECK(shop.ca_file == "/shop.pem");
  CHECK(home.read("half-done", whole_environment).url == "https://half.example");
  CHECK(home.read("half-done", whole_environment).key_id == "mk_test_1");
  CHECK_THAT(home.fault_of("half-done"), Contains("key_id"));
  CHECK_THAT(home.fault_of("nowhere", whole_environment), Contains("[nowhere]"));
}

TEST_CASE("profiles that another user can open are refused") {
  const home_folder home{profiles};
  for (const auto open : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write}) {
    fs::permissions(home.file(), fs::perms::owner_read | open);
    CHECK_THAT(home.fault_of("shop"), Contains("chmod 600"));
  }
  fs::permissions(home.file(), fs::perms::owner_read);
  CHECK(home.read("shop").secret == "shop-secret");
}

TEST_CASE("a fault in the profiles is reported with its line, and without a secret") {
  const std::pair<const char*, const char*> rows[] = {{"url = \"x\"\n", "line 1"},
                                                      {"[a]\n[a]\n", "line 2"},
                                                      {"[a\n", "line 1"},
                                                      {"[a b]\n", "line 1"},
                                                      {"[a]\nsecret = \"s3cr3t\n", "line 2"},
                                                      {"[a]\nsecret = s3cr3t\n", "line 2"},
                                                      {"[a]\nsecret = 5\n", "secret must be a string"},
                                                      {"[a]\nsecret = \"s3cr3t\"\nsecret = \"s3cr3t\"\n", "line 3"},
                                                      {"[a]\npassword = \"s3cr3t\"\n", "not 'password'"}};
  for (const auto& [text, named] : rows) {
    const home_folder home{text};
    CHECK_THAT(home.fault_of("a"), Contains(named));
    CHECK_THAT(home.fault_of("a"), !Contains("s3cr3t"));
  }
  CHECK_THAT(home_folder{}.fault_of("a"), Contains("profiles.toml"));
}

TEST_CASE("the mode of a key is in its id, and an unknown one counts as live") {
  CHECK(mode_of_key("mk_test_12") == key_mode::test);
  CHECK(mode_of_key("mk_live_12") == key_mode::live);
  CHECK(mode_of_key("mk_platform_1234abcd") == key_mode::platform);
  CHECK(mode_of_key("mk_testing") == key_mode::live);
  CHECK(mode_of_key("") == key_mode::live);
}
