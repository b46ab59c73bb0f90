// Where the master key lives: a file of 64 hexadecimal digits that only its owner may read.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "gateway/base/crypto.hpp"

namespace gateway {

/// Why there is no master key, in one line for the operator.
struct master_key_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the key. Where the file is missing and `create` is true, makes a random key and returns only once the file
/// would survive a power cut. Callers pass `create` for an empty database only: a new key cannot open old secrets.
std::unique_ptr<crypto::master_key> load_master_key(const std::filesystem::path& file, bool create);

/// Identifies a key without revealing it. Stored in the database, so that a wrong key is noticed at start.
std::string fingerprint(const crypto::master_key& key);

}  // namespace gateway
