// Reads the records of a CSV file (RFC 4180) one at a time, by libcsv. A quote must be closed, and may not occur inside
// a field that does not begin with one. A byte order mark before the first field is skipped.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gateway::ctl {

/// A fault in a file, with its line.
struct bad_file : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class csv_records {
 public:
  /// `in` must outlive this object.
  explicit csv_records(std::istream& in);
  ~csv_records();
  csv_records(const csv_records&) = delete;
  csv_records& operator=(const csv_records&) = delete;

  /// The next record into `fields`; false at the end. Empty lines are left out. Throws bad_file.
  bool next(std::vector<std::string>& fields);
  /// The line on which the last record of next() ends.
  std::uint64_t line() const noexcept { return line_; }

 private:
  struct parser;
  bool read_line();

  std::istream& in_;
  std::unique_ptr<parser> parser_;
  std::string bytes_;
  std::uint64_t line_ = 0;
};

}  // namespace gateway::ctl
