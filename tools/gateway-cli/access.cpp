#include "access.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <variant>

#include "config/config_file.hpp"

namespace gateway::cli {

namespace {

struct access_setting {
  const char* variable;
  const char* name;  ///< in a profile
  std::string gateway_access::* into;
  bool required;
};

constexpr access_setting access_settings[] = {{"GATEWAY_URL", "url", &gateway_access::url, true},
                                              {"GATEWAY_KEY_ID", "key_id", &gateway_access::key_id, true},
                                              {"GATEWAY_SECRET", "secret", &gateway_access::secret, true},
                                              {"GATEWAY_CA_FILE", "ca_file", &gateway_access::ca_file, false}};

constexpr mode_t of_others = S_IRWXG | S_IRWXO;

std::filesystem::path profiles_file(const environment_reader& environment) {
  const auto home = environment("HOME");
  if (!home) throw failure("HOME is not set, so there is no ~/.config/gateway/profiles.toml");
  return std::filesystem::path{*home} / ".config" / "gateway" / "profiles.toml";
}

std::vector<config_section> read_profiles(const std::filesystem::path& file) {
  struct stat found{};
  if (::stat(file.c_str(), &found) != 0)
    throw failure("cannot read " + file.string() + ": " + std::generic_category().message(errno));
  if ((found.st_mode & of_others) != 0)
    throw failure(file.string() + " is open to other users, and holds secrets: chmod 600 " + file.string());
  std::ifstream in{file};
  if (!in) throw failure("cannot read " + file.string() + ": " + std::generic_category().message(errno));
  try {
    return read_config_sections(in);
  } catch (const config_error& fault) {
    throw failure(file.string() + ", line " + std::to_string(fault.line) + ": " + fault.what());
  }
}

gateway_access read_profile(const std::string& profile, const environment_reader& environment) {
  const auto file = profiles_file(environment);
  const auto profiles = read_profiles(file);
  const auto found = std::ranges::find(profiles, profile, &config_section::name);
  if (found == profiles.end()) throw failure("there is no profile [" + profile + "] in " + file.string());
  gateway_access result;
  for (const auto& entry : found->entries) {
    const auto at = file.string() + ", line " + std::to_string(entry.line) + ": ";
    const auto setting = std::ranges::find(access_settings, entry.name, &access_setting::name);
    if (setting == std::end(access_settings))
      throw failure(at + "a profile has url, key_id, secret and ca_file, not '" + entry.name + "'");
    const auto* text = std::get_if<std::string>(&entry.value);
    if (!text) throw failure(at + entry.name + " must be a string in quotes");
    result.*setting->into = *text;
  }
  return result;
}

}  // namespace

key_mode mode_of_key(const std::string& key_id) noexcept {
  if (key_id.starts_with("mk_test_")) return key_mode::test;
  return key_id.starts_with("mk_platform_") ? key_mode::platform : key_mode::live;
}

std::optional<std::string> read_environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

gateway_access read_access(const std::string& profile, const environment_reader& environment) {
  auto result = profile.empty() ? gateway_access{} : read_profile(profile, environment);
  for (const auto& setting : access_settings) {
    auto& value = result.*setting.into;
    if (value.empty()) value = environment(setting.variable).value_or("");
    if (!value.empty() || !setting.required) continue;
    throw failure(std::string{"no "} + setting.name + ": set " + setting.variable +
                  (profile.empty() ? ", or name a --profile" : ", or add it to the profile [" + profile + "]"));
  }
  while (result.url.ends_with('/')) result.url.pop_back();
  return result;
}

}  // namespace gateway::cli
