// Where the master keys come from: a file that only its owner may read, or a program.
//
// Both have one key in each line, the oldest first: 64 hexadecimal digits, optionally after the key's id and a space.
// If a line has no id, the id is derived from the key.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/base/crypto.hpp"

namespace gateway {

/// Why there is no master key, in one line for the operator. Contains nothing of the text that was read.
struct master_key_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct named_master_key {
  std::string id;
  std::shared_ptr<const crypto::master_key> key;
  std::string fingerprint;
};

/// Identifies a key without revealing it. Stored in the database, so that a wrong key is noticed at start.
std::string fingerprint(const crypto::master_key& key);
/// The id of a key whose line has none.
std::string id_from_fingerprint(std::string_view fingerprint);

/// The keys in the contents of such a file, in order. `from` names the source in a master_key_error.
std::vector<named_master_key> parse_master_keys(std::string_view text, const std::string& from);

/// Concurrency: one thread. Other processes may use the same file: a lock on it keeps their changes apart.
class master_key_source {
 public:
  static constexpr std::chrono::milliseconds program_patience{10'000};

  static master_key_source file(std::filesystem::path path);
  /// `command` is a program, or a line for the shell. It has `patience` to print the keys and to end with status 0.
  static master_key_source program(std::string command, std::chrono::milliseconds patience = program_patience);

  /// For messages.
  const std::string& name() const noexcept { return name_; }
  bool is_file() const noexcept { return command_.empty(); }

  // These throw master_key_error.
  /// All keys; empty if there is no file.
  std::vector<named_master_key> read() const;
  /// As read(). If there is no file and `create` is true, creates one with a random key, and returns once the file
  /// would survive a power cut. Callers pass `create` for a new database only: a new key cannot open old secrets.
  std::vector<named_master_key> load(bool create) const;
  /// Adds a random key to the file. The file then survives a power cut.
  named_master_key add() const;
  /// Adds this key to the file, unless the file holds it.
  void add(std::string_view id, std::string_view bytes) const;
  /// Removes the keys with these fingerprints from the file. The last key stays.
  void remove(std::span<const std::string> fingerprints) const;

 private:
  explicit master_key_source(std::string name) : name_{std::move(name)} {}

  std::string name_;
  std::filesystem::path path_;
  std::string command_;  ///< empty: a file
  std::chrono::milliseconds patience_{};
};

}  // namespace gateway
