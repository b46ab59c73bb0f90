// Valid and invalid traceparents, by W3C Trace Context.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "gateway/base/trace_context.hpp"

using namespace gateway;

namespace {

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736", parent = "00f067aa0ba902b7";
const std::string usual = "00-" + trace + "-" + parent + "-01";

std::string reported(const trace_context& context) {
  const auto text = traceparent_of(context);
  return {text.data(), text.size()};
}

}  // namespace

TEST_CASE("traceparent: a valid one is read, and passed on unchanged") {
  const auto read = parse_traceparent(usual);
  REQUIRE(read);
  CHECK(read->present());
  CHECK(read->trace == trace_id{0x4bf92f3577b34da6, 0xa3ce929d0e0e4736});
  CHECK(read->span == 0x00f067aa0ba902b7);
  CHECK(read->flags == trace_context::sampled);
  CHECK_FALSE(read->recorded);
  CHECK(reported(*read) == usual);
  const auto digits = hex_of(read->trace);
  CHECK(std::string(digits.data(), digits.size()) == trace);
  const auto span_digits = hex_of_span(read->span);
  CHECK(std::string(span_digits.data(), span_digits.size()) == parent);
}

TEST_CASE("traceparent: one that is passed on has version 00 and the known flags") {
  struct row {
    std::string said, reported;
  };
  const auto with = [&](const std::string& version, const std::string& flags, const std::string& more = {}) {
    return version + "-" + trace + "-" + parent + "-" + flags + more;
  };
  const std::vector<row> rows{
      {with("00", "00"), with("00", "00")},          {with("00", "01"), with("00", "01")},
      {with("00", "02"), with("00", "02")},          {with("00", "03"), with("00", "03")},
      {with("00", "ff"), with("00", "03")},          {with("00", "f8"), with("00", "00")},
      {with("01", "01"), with("00", "01")},          {with("fe", "01"), with("00", "01")},
      {with("cc", "01", "-"), with("00", "01")},     {with("cc", "01", "-what the future holds"), with("00", "01")},
      {with("cc", "01", "-.-x-"), with("00", "01")},
  };
  for (const auto& row : rows) {
    CAPTURE(row.said);
    const auto read = parse_traceparent(row.said);
    REQUIRE(read);
    CHECK(reported(*read) == row.reported);
  }
}

TEST_CASE("traceparent: an inexact one is rejected") {
  const std::string zeros32(32, '0'), zeros16(16, '0');
  std::vector<std::string> wrong{
      "",
      "-",
      "00",
      usual + "-",
      usual + "-00",
      usual + "0",
      " " + usual,
      usual + " ",
      "ff-" + trace + "-" + parent + "-01",
      "FE-" + trace + "-" + parent + "-01",
      "0g-" + trace + "-" + parent + "-01",
      "cc-" + trace + "-" + parent + "-01.what",
      "cc-" + trace + "-" + parent + "-011",
      "00-" + zeros32 + "-" + parent + "-01",
      "00-" + trace + "-" + zeros16 + "-01",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01",
      "00-" + trace + "-00F067AA0BA902B7-01",
      "00-" + trace + "-" + parent + "-0A",
      "00-" + trace + "-" + parent + "-0x",
      "00_" + trace + "_" + parent + "_01",
      "00-" + trace.substr(1) + "-" + parent + "-01",
      "00-" + trace + "0-" + parent + "-01",
      "00-" + trace + "-" + parent.substr(1) + "-01",
      "00-" + trace + "-" + parent + "-1",
      usual + "," + usual,
  };
  for (std::size_t size = 0; size < usual.size(); ++size) wrong.push_back(usual.substr(0, size));
  for (const auto& text : wrong) {
    CAPTURE(text);
    CHECK_FALSE(parse_traceparent(text));
  }
}

TEST_CASE("traceparent: one with a replaced byte is read exactly, or rejected") {
  for (std::size_t at = 0; at < usual.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      auto text = usual;
      text[at] = static_cast<char>(byte);
      const auto read = parse_traceparent(text);
      if (read && at >= 3 && at < 52) CHECK(reported(*read).substr(3, 49) == text.substr(3, 49));
      if (read && at > 52) CHECK((read->flags & ~3) == 0);
    }
}
