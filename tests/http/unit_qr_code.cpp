// The drawing of a QR code: decoded from its path, and compared with the corners of every code.
#include <cstdlib>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "http/html/qr_code.hpp"

using gateway::http::qr_code;

namespace {

std::string between(const std::string& text, const std::string& before, char end) {
  const auto at = text.find(before);
  REQUIRE(at != std::string::npos);
  const auto begin = at + before.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

/// The drawing's modules, quiet zone included, row by row.
std::vector<std::string> modules_of(const std::string& svg) {
  const auto side = std::stoul(between(svg, "viewBox=\"0 0 ", ' '));
  std::vector<std::string> rows(side, std::string(side, '.'));
  const auto path = between(svg, " d=\"", '"');
  for (const char* at = path.c_str(); *at != '\0';) {
    char* next = nullptr;
    REQUIRE(*at == 'M');
    const auto x = std::strtoul(at + 1, &next, 10);
    const auto y = std::strtoul(next, &next, 10);
    REQUIRE(*next == 'h');
    const auto length = std::strtoul(next + 1, &next, 10);
    REQUIRE(x + length <= side);
    REQUIRE(y < side);
    rows[y].replace(x, length, length, '#');
    const auto rest = "v1h-" + std::to_string(length) + "z";
    REQUIRE(std::string_view{next}.starts_with(rest));
    at = next + rest.size();
  }
  return rows;
}

}  // namespace

TEST_CASE("a QR code has its three corners inside a quiet zone of four modules") {
  const auto svg =
      qr_code("otpauth://totp/Pay:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Pay", "x");
  const auto rows = modules_of(svg);
  const auto side = rows.size();
  const std::vector<std::string> corner{"#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"};
  for (std::size_t y = 0; y < corner.size(); ++y) {
    CHECK(rows[y + 4].substr(4, 7) == corner[y]);
    CHECK(rows[y + 4].substr(side - 11, 7) == corner[y]);
    CHECK(rows[side - 11 + y].substr(4, 7) == corner[y]);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(rows[i] == std::string(side, '.'));
    CHECK(rows[side - 1 - i] == std::string(side, '.'));
  }
  for (const auto& row : rows) {
    CHECK(row.starts_with("...."));
    CHECK(row.ends_with("...."));
  }
}

TEST_CASE("a QR code is an image with a name, and contains nothing that a strict policy forbids") {
  const auto svg = qr_code("text", "Code of <Ada> & \"Bob\"");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.find("role=\"img\" aria-label=\"Code of &lt;Ada&gt; &amp; &quot;Bob&quot;\"") != std::string::npos);
  for (const auto* forbidden : {"style", "<script", "href", " on"})
    CHECK(svg.find(forbidden, svg.find("viewBox")) == std::string::npos);
  CHECK(svg.find("fill=\"#fff\"") < svg.find("fill=\"#000\""));
}

TEST_CASE("a text that does not fit a QR code is an error") {
  CHECK_THROWS_AS(qr_code(std::string(4'000, 'x'), "x"), std::runtime_error);
}
