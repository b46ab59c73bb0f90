// Identifiers, clocks, digests and files for a client of the gateway.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../../base/hang_timeout.hpp"

namespace gateway::e2e {

std::string random_hex(std::size_t bytes);
std::string new_uuid();
std::string new_payment_id();

std::string sha256_hex(std::string_view data);
std::string hmac_sha256_hex(std::string_view key, std::string_view data);

/// The time `ahead` of now, as 2026-11-20T09:30:00Z.
std::string timestamp(std::chrono::seconds ahead = {});
bool is_timestamp_in_seconds(std::string_view text);
bool is_timestamp_in_millis(std::string_view text);
/// Seconds from now until a timestamp of either form.
double seconds_until(std::string_view text);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, std::string_view text);
std::vector<std::string> lines_of(std::string_view text);
/// The columns of a row, which are separated by tabs.
std::vector<std::string> columns_of(const std::string& row);

/// Decodes the five entities that HTML escaping produces.
std::string unescape_html(std::string text);
/// The value of an attribute in one tag, entities decoded; nothing if it is absent.
std::optional<std::string> attribute_of(const std::string& tag, const std::string& name);
std::string percent_encode(std::string_view text);
/// Up to the first character that is not of base64.
std::string from_base64(std::string_view text);

std::string environment_or(const char* name, std::string otherwise);
int environment_or(const char* name, int otherwise);

/// Whether tests also judge how fast the gateway was. `tools/bench promptness` sets this on an otherwise idle machine.
/// Elsewhere a test's result must not depend on the machine's speed.
inline bool judges_speed() { return environment_or("GATEWAY_JUDGE_SPEED", 0) != 0; }

using tests::hang_timeout;

/// Less than the minute after which the gateway asks a provider about a payment whose customer is on the provider's
/// page. A change that is seen within this time was not found by asking.
inline constexpr std::chrono::seconds before_next_look{50};

/// Polls until the condition is true or the time is over.
template <class Condition>
bool eventually(Condition&& condition, std::chrono::milliseconds within = hang_timeout) {
  const auto deadline = std::chrono::steady_clock::now() + within;
  for (;;) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
}

}  // namespace gateway::e2e
