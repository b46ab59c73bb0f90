// Records what happens, as text for a reader and as a fingerprint to compare two runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#include "virtual_time.hpp"

namespace gateway::simulation {

class journal {
 public:
  /// `out` may be null; then only the fingerprint is kept.
  journal(const virtual_time& time, std::ostream* out) : time_{time}, out_{out} {}

  template <class... Parts>
  void write(std::string_view who, const Parts&... parts) {
    count(static_cast<std::uint64_t>(to_unix_ms(time_.now())));
    for (const char c : who) count(static_cast<unsigned char>(c));
    if (!out_) return;
    std::ostringstream line;
    (line << ... << parts);
    char head[64];
    const auto ms = time_.elapsed().count();
    std::snprintf(head, sizeof head, "%6lld.%03lld  %-11.*s ", static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000), static_cast<int>(who.size()), who.data());
    *out_ << head << line.str() << '\n';
  }
  /// Adds a value to the fingerprint without writing a line.
  void count(std::uint64_t value) { fingerprint_ = (fingerprint_ ^ value) * 0x100000001b3ULL; }
  std::uint64_t fingerprint() const { return fingerprint_; }

  /// Counts one more occurrence. A fault that never occurs was never tested against.
  void occurs(std::string_view what, std::uint64_t times = 1) { occurrences_[std::string{what}] += times; }
  const std::map<std::string, std::uint64_t>& occurrences() const { return occurrences_; }

 private:
  const virtual_time& time_;
  std::ostream* out_;
  std::uint64_t fingerprint_ = 0xcbf29ce484222325ULL;
  std::map<std::string, std::uint64_t> occurrences_;
};

}  // namespace gateway::simulation
