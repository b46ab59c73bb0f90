// JazzCash's messages: fields named `pp…`, in a form or as JSON, and their hash.
// Sources: README.md beside it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/time.hpp"

namespace gateway::actors::jazzcash {

/// Ordered by the bytes of their names, as the hash requires.
using pp_fields = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t most_fields = 64;
inline constexpr std::size_t most_message_bytes = 16 * 1024;

/// Empty if there is no such field.
std::string_view field(const pp_fields& message, std::string_view name) noexcept;

/// HMAC-SHA256 in upper-case hexadecimal digits, keyed with the integrity salt, over the salt and the values of all
/// non-empty fields whose names begin with `pp`, except the hash itself, joined by `&`.
std::string secure_hash(const pp_fields& message, std::string_view salt);
/// Whether pp_SecureHash is correct. Takes the same time for every incorrect one.
bool is_genuine(const pp_fields& message, std::string_view salt);

/// A form as browsers post it. nullopt if it is too long, has too many fields, or has a field twice.
std::optional<pp_fields> read_form(std::string_view body);
std::string form_of(const pp_fields& message);
/// A flat object of strings and integers; null counts as empty. nullopt if it is anything else.
std::optional<pp_fields> read_json(std::string_view body);
std::string json_of(const pp_fields& message);

/// `20261120143000`: yyyyMMddHHmmss in Pakistan's time, which is UTC+5 all year.
std::string pakistan_time(time_point at);
std::optional<time_point> read_pakistan_time(std::string_view text);

bool is_alphanumeric(std::string_view text) noexcept;

}  // namespace gateway::actors::jazzcash
