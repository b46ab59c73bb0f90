#include "wire.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <boost/json.hpp>
#include <cstdio>

#include "tests/stand_ins/common/text.hpp"

namespace gateway::jazzcash_stand_in {

namespace {

constexpr std::chrono::hours pakistan{5};

}  // namespace

std::string value_of(const fields& in, const std::string& name) {
  const auto at = in.find(name);
  return at == in.end() ? std::string{} : at->second;
}

std::string hash_of(const fields& message, const std::string& salt) {
  std::string text = salt;
  for (const auto& [name, value] : message)
    if (name.starts_with("pp") && name != "pp_SecureHash" && !value.empty()) text += '&' + value;
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), salt.data(), static_cast<int>(salt.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), bytes, &size);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02X", bytes[i]);
    hex += digits;
  }
  return hex;
}

fields hashed(fields message, const std::string& salt) {
  message["pp_SecureHash"] = hash_of(message, salt);
  return message;
}

std::optional<fields> read_form(std::string_view body) {
  fields all;
  while (!body.empty()) {
    const auto pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    const auto value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view{};
    if (!all.emplace(stand_in::form_decoded(pair.substr(0, equals)), stand_in::form_decoded(value)).second)
      return std::nullopt;
  }
  return all;
}

std::optional<fields> read_json(std::string_view body) {
  boost::json::error_code failed;
  const auto value = boost::json::parse({body.data(), body.size()}, failed);
  if (failed || !value.is_object()) return std::nullopt;
  fields all;
  for (const auto& [name, member] : value.get_object()) {
    if (!member.is_string()) return std::nullopt;
    all.emplace(name, member.get_string());
  }
  return all;
}

std::string json_of(const fields& message) {
  boost::json::object object;
  for (const auto& [name, value] : message) object[name] = value;
  return boost::json::serialize(object);
}

seconds_of_day now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

std::string pakistan_time(seconds_of_day at) {
  const auto there = at + pakistan;
  const auto day = std::chrono::floor<std::chrono::days>(there);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{there - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d%02u%02u%02d%02d%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

std::optional<seconds_of_day> read_pakistan_time(const std::string& text) {
  using namespace std::chrono;
  if (text.size() != 14 || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t digits) { return std::stoi(text.substr(from, digits)); };
  const year_month_day date{year{number(0, 4)}, month{static_cast<unsigned>(number(4, 2))},
                            day{static_cast<unsigned>(number(6, 2))}};
  if (!date.ok()) return std::nullopt;
  return sys_days{date} + hours{number(8, 2)} + minutes{number(10, 2)} + seconds{number(12, 2)} - pakistan;
}

}  // namespace gateway::jazzcash_stand_in
