// Verifies a request's signature: takes headers, a snapshot of the keys and the time; returns a caller or a rejection.
// The only effect is that the day of the key's use is noted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "caller.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/domain/time.hpp"
#include "http/errors.hpp"
#include "http/message.hpp"

namespace gateway::http {

inline constexpr duration_ms allowed_clock_skew = std::chrono::minutes{5};

/// The four lines that are signed.
std::string canonical_request(std::string_view method, std::string_view path, std::string_view timestamp,
                              std::string_view body_sha256);

/// The merchant's key to look up in the store, for a request whose signature could not be verified, if its other
/// headers are valid and the key id is well-formed. If the directory has the key, returns a key that does not exist, so
/// that the answer takes as long: its time must not reveal which keys are in memory.
std::optional<key_id> key_to_look_for(const request& in, const directory& keys, time_point now);

/// `body_sha256`: lower-case hex; computed here if it is empty and the headers are valid. The signature covers it, and
/// the fingerprint reuses it. A correct signature counts as a use of the key (directory::note_use).
std::variant<caller, rejection> authenticate(const request& in, const directory& keys, time_point now,
                                             std::string& body_sha256);

}  // namespace gateway::http
