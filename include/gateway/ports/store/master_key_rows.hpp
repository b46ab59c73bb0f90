// The master keys that the database names, and the texts that are sealed under them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/time.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

enum class master_key_status : unsigned char {
  offered,  ///< made; seals nothing until every live node has it
  current,  ///< seals new texts; exactly one key is current
  old,      ///< opens the texts that it has sealed
  retired,  ///< opens nothing, and is never used again
};

constexpr std::string_view to_string(master_key_status s) noexcept {
  constexpr std::string_view names[] = {"offered", "current", "old", "retired"};
  return names[static_cast<std::size_t>(s)];
}

constexpr std::optional<master_key_status> parse_master_key_status(std::string_view text) noexcept {
  using enum master_key_status;
  for (const auto s : {offered, current, old, retired})
    if (to_string(s) == text) return s;
  return std::nullopt;
}

/// A new master key. A second one with the same id or position is a duplicate record.
struct save_master_key {
  std::string id;
  std::string fingerprint;  ///< as fingerprint() of gateway/base/master_key_file.hpp
  std::int64_t position = 0;
  master_key_status status = master_key_status::offered;
  std::string wrapped{};  ///< the key, sealed under an older one; empty: each node has it from elsewhere
  time_point created_at{};

  bool operator==(const save_master_key&) const = default;
};

/// Makes an offered key the current one. The claim is lost if it is not offered.
struct promote_key {
  std::string id;
};
/// Deletes an offered key. The claim is lost if it is not offered.
struct withdraw_key {
  std::string id;
};
/// Retires an old key. The claim is lost if it is not old, or if something is still sealed under it.
struct retire_key {
  std::string id;
  bool seals_unnamed = false;  ///< texts that name no key count as sealed under it
};

/// The columns that hold sealed texts. A new such column is added here, in persistence/tables/master_keys.cpp, and in
/// gateway/ports/sealed_texts.hpp.
enum class sealed_column : unsigned char {
  api_key,
  platform_key,
  destination,
  previous_secret,  ///< of a destination
  provider,
  second_factor,  ///< of a person
  operator_factor,  ///< an operator's second factor
  mail,
};
inline constexpr std::array all_sealed_columns{sealed_column::api_key,         sealed_column::platform_key,
                                               sealed_column::destination,     sealed_column::previous_secret,
                                               sealed_column::provider,        sealed_column::second_factor,
                                               sealed_column::operator_factor, sealed_column::mail};

constexpr std::string_view to_string(sealed_column c) noexcept {
  constexpr std::string_view names[] = {"api_key",  "platform_key",  "destination",     "previous_secret",
                                        "provider", "second_factor", "operator_factor", "mail"};
  return names[static_cast<std::size_t>(c)];
}

struct sealed_text {
  sealed_column in = sealed_column::api_key;
  std::string id;  ///< of the key, the destination, the provider's kind, the person, the operator's key, the mail
  std::string of;  ///< the merchant, platform or owner; a provider's environment; otherwise empty
  std::string text;

  bool operator==(const sealed_text&) const = default;
};

/// Replaces a sealed text by the same secret resealed. The claim is lost if the text has changed.
struct reseal {
  sealed_text was;
  std::string text;
};

/// All master keys, ordered by position, with how many texts name each.
struct find_master_keys {
  using answer = struct master_keys_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  bool count = false;  ///< reads every row with a sealed text
};

struct sealed_count {
  std::string id;  ///< empty: texts that name no key
  std::uint64_t texts = 0;

  bool operator==(const sealed_count&) const = default;
};

struct master_keys_lookup {
  std::vector<save_master_key> keys;
  std::vector<sealed_count> sealed;  ///< ordered by id; without counts of 0
};

/// How many texts the key seals. A text that names no key was sealed by the first one.
inline std::int64_t texts_sealed_by(const save_master_key& key, const std::vector<sealed_count>& counts) {
  std::uint64_t texts = 0;
  for (const auto& each : counts)
    if (each.id == key.id || (each.id.empty() && key.position == 0)) texts += each.texts;
  return static_cast<std::int64_t>(texts);
}

/// The texts of one column that are not sealed under this key, ordered by id, at most `limit`.
struct find_sealed {
  using answer = struct sealed_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  sealed_column in = sealed_column::api_key;
  std::string current;
  std::string after{};  ///< an id
  std::uint32_t limit = 100;
};

struct sealed_lookup {
  std::vector<sealed_text> texts;
};

}  // namespace gateway
