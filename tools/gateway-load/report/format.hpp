// Formats a run's numbers and texts, for terminals and pages alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/result.hpp"

namespace gateway::load {

/// Three significant digits, thousands apart: "0.0123", "12.3", "12,300".
std::string number_text(double value);
/// Every digit: "59,998".
std::string count_text(std::uint64_t value);
/// Every digit of a whole number, else three: "100,000", "0.5".
std::string quantity_text(double value);
/// "850 µs", "1.20 ms", "12.3 s".
std::string duration_text(double nanoseconds);
/// As short as it can be, for an axis: "200 µs", "1 ms".
std::string short_duration_text(double nanoseconds);
/// "12.3 %". "0 %" only for none, and "100 %" only for all.
std::string share_text(std::uint64_t part, std::uint64_t whole);
/// "×1.23"; a dash if there is nothing to compare with.
std::string ratio_text(double value, double to);
/// "0.5 s", "59.8 s", "12 min 5 s"
std::string length_text(double seconds);

/// Replaces invalid UTF-8 with U+FFFD and control characters with blanks. Foreign text (a server's Request-Id, a name
/// from the command line) must neither move a terminal's cursor nor make a file unreadable.
std::string clean(std::string_view text);
/// The approximate width in columns of a terminal: the number of UTF-8 characters.
std::size_t width_of(std::string_view text);

/// "200", "200 replayed"
bool is_success(std::string_view outcome);
/// No answer, or a 5xx. A 409 is neither success nor failure, because some scenarios provoke it.
bool is_failure(std::string_view outcome);
std::uint64_t failures_of(const operation_result& of);
std::uint64_t failures_of(const run_result& run);
/// How often an outcome occurred, over all operations.
std::uint64_t times_of(const run_result& run, const std::string& outcome);

/// Whether waiting for a connection is so large a part of the latency that the report must say so.
bool lateness_matters(const run_result& run);
/// A sentence about that wait.
std::string lateness_text(const run_result& run);
/// A sentence if clearly fewer requests were answered than intended; else empty.
std::string shortfall_text(const run_result& run);
/// "payments 10,000,000, nodes 3"; empty without labels
std::string labels_text(const run_result& run);
/// The sum of all months.
month_result sum_of(const std::vector<month_result>& months);
/// "12,000 keys with one execution, 800 payments read back": what verification compared.
std::string checked_text(const verification& checked);

}  // namespace gateway::load
