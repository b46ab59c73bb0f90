#include "text.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <boost/beast/core/detail/base64.hpp>

namespace gateway::e2e {

namespace {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

/// Each `d` of the shape matches a digit, every other character itself.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool fits = shape[i] == 'd' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0 : text[i] == shape[i];
    if (!fits) return false;
  }
  return true;
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  auto* data = reinterpret_cast<unsigned char*>(raw.data());
  if (RAND_bytes(data, static_cast<int>(bytes)) != 1) throw std::runtime_error("no random bytes");
  return to_hex(data, bytes);
}

std::string new_uuid() {
  auto hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[hex[16] % 4];
  return hex.substr(0, 8) + '-' + hex.substr(8, 4) + '-' + hex.substr(12, 4) + '-' + hex.substr(16, 4) + '-' +
         hex.substr(20);
}

std::string new_payment_id() { return "pay_" + random_hex(10); }

std::string sha256_hex(std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(data.data(), data.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 failed");
  return to_hex(digest.data(), size);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view data) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
       data.size(), mac.data(), &size);
  return to_hex(mac.data(), size);
}

std::string timestamp(std::chrono::seconds ahead) {
  const std::time_t at = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + ahead);
  std::tm fields{};
  gmtime_r(&at, &fields);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text;
}

bool is_timestamp_in_seconds(std::string_view text) { return has_shape(text, "dddd-dd-ddTdd:dd:ddZ"); }
bool is_timestamp_in_millis(std::string_view text) { return has_shape(text, "dddd-dd-ddTdd:dd:dd.dddZ"); }

double seconds_until(std::string_view text) {
  if (!is_timestamp_in_seconds(text) && !is_timestamp_in_millis(text))
    throw std::runtime_error("not a timestamp: " + std::string{text});
  std::tm fields{};
  const std::string copy{text};
  strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &fields);
  const double at =
      static_cast<double>(timegm(&fields)) + (text.size() == 24 ? std::stod(copy.substr(20, 3)) / 1000 : 0);
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return at - now;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out{file, std::ios::binary};
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<std::string> columns_of(const std::string& row) {
  std::vector<std::string> columns;
  std::istringstream in{row};
  for (std::string column; std::getline(in, column, '\t');) columns.push_back(column);
  return columns;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string{text}};
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string unescape_html(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [entity, character] : entities)
    for (auto at = text.find(entity); at != std::string::npos; at = text.find(entity, at + character.size()))
      text.replace(at, entity.size(), character);
  return text;
}

std::string from_base64(std::string_view text) {
  namespace base64 = boost::beast::detail::base64;
  std::string bytes(base64::decoded_size(text.size()), '\0');
  bytes.resize(base64::decode(bytes.data(), text.data(), text.size()).first);
  return bytes;
}

std::optional<std::string> attribute_of(const std::string& tag, const std::string& name) {
  std::smatch found;
  if (!std::regex_search(tag, found, std::regex{"\\s" + name + "\\s*=\\s*\"([^\"]*)\""})) return std::nullopt;
  return unescape_html(found[1].str());
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_' || c == '.' || c == '~') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += to_hex(&byte, 1);
    }
  }
  return encoded;
}

std::string environment_or(const char* name, std::string otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::string{value} : std::move(otherwise);
}

int environment_or(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::stoi(value) : otherwise;
}

}  // namespace gateway::e2e
