#include "csv_records.hpp"

#include <csv.h>

#include <limits>
#include <utility>

namespace gateway::ctl {

namespace {

constexpr std::size_t most_line_bytes = 64 * 1024;
constexpr std::size_t most_record_bytes = 1024 * 1024;
constexpr std::size_t most_fields = 1'000;

std::string at_line(std::uint64_t line, const std::string& what) {
  return "line " + std::to_string(line) + ": " + what;
}

}  // namespace

struct csv_records::parser {
  csv_parser of{};
  std::vector<std::string> fields;
  std::size_t bytes = 0;  ///< of the record so far
  bool whole = false;
  bool failed = false;  ///< out of memory, or the record is too long

  parser() {
    if (csv_init(&of, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::runtime_error("cannot read CSV");
  }
  ~parser() { csv_free(&of); }
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  // No exception may pass through libcsv, which is C.
  static void take_field(void* text, std::size_t length, void* self) noexcept try {
    auto& to = *static_cast<parser*>(self);
    to.bytes += length;
    if (to.fields.size() == most_fields)
      to.failed = true;
    else
      to.fields.emplace_back(static_cast<const char*>(text), length);
  } catch (...) {
    static_cast<parser*>(self)->failed = true;
  }
  static void end_record(int, void* self) noexcept { static_cast<parser*>(self)->whole = true; }
};

csv_records::csv_records(std::istream& in) : in_(in), parser_(std::make_unique<parser>()) {}
csv_records::~csv_records() = default;

/// Reads the next line into `bytes_`, including its end.
bool csv_records::read_line() {
  bytes_.resize(most_line_bytes);
  in_.getline(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  const auto count = static_cast<std::size_t>(in_.gcount());
  if (in_.bad()) throw bad_file("cannot be read");
  if (in_.fail() && count > 0) throw bad_file(at_line(line_ + 1, "is longer than 64 KiB"));
  if (in_.fail()) return false;
  // `count` includes the end of the line, unless the file ends without one.
  bytes_.resize(in_.eof() ? count : count - 1);
  bytes_ += '\n';
  if (++line_ == 1 && bytes_.starts_with("\xef\xbb\xbf")) bytes_.erase(0, 3);
  return true;
}

bool csv_records::next(std::vector<std::string>& fields) {
  auto& of = *parser_;
  of.fields.clear();
  of.bytes = 0;
  of.whole = false;
  while (!of.whole && read_line()) {
    of.bytes += bytes_.size();
    const auto done = csv_parse(&of.of, bytes_.data(), bytes_.size(), parser::take_field, parser::end_record, &of);
    if (done != bytes_.size()) throw bad_file(at_line(line_, "is no CSV: a quote stands where none may be"));
    if (of.failed || of.bytes > most_record_bytes)
      throw bad_file(at_line(line_, "the record is too long, or its quote is never closed"));
  }
  if (!of.whole && csv_fini(&of.of, parser::take_field, parser::end_record, &of) != 0)
    throw bad_file(at_line(line_, "a quote is never closed"));
  fields = std::move(of.fields);
  of.fields = {};
  return of.whole;
}

}  // namespace gateway::ctl
