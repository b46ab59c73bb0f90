// A checkout's branding: which colours, contacts and logos are accepted, and what becomes of a colour.
#include <catch2/catch.hpp>

#include "../png_file.hpp"
#include "gateway/domain/branding.hpp"

using namespace gateway;
using gateway::testing::png_file;

TEST_CASE("the contrast of two colours is that of WCAG 2") {
  CHECK(contrast({0, 0, 0}, {255, 255, 255}) == Approx(21).epsilon(1e-6));
  CHECK(contrast({255, 255, 255}, {0, 0, 0}) == Approx(21).epsilon(1e-6));
  CHECK(contrast({0x12, 0x34, 0x56}, {0x12, 0x34, 0x56}) == Approx(1));
  CHECK(contrast({0x76, 0x76, 0x76}, {255, 255, 255}) == Approx(4.54).epsilon(0.01));
}

TEST_CASE("a colour is accepted if a button of it stands out on a white page") {
  for (const auto* good : {"", "#000000", "#2350C8", "#949494", "#e60000"}) {
    CAPTURE(good);
    CHECK_FALSE(fault_of_colour(good));
  }
  for (const auto* bad : {"2350c8", "#235", "#2350c", "#2350c88", "#2350cg", "red", " #2350c8"})
    CHECK(fault_of_colour(bad)->find("six hexadecimal digits") != std::string::npos);
  for (const auto* light : {"#ffffff", "#ffd400", "#aaaaaa", "#f0f0f0"})
    CHECK(fault_of_colour(light)->find("too light") != std::string::npos);
  CHECK(stored_colour("#2350C8") == "#2350c8");
  CHECK(to_string(*parse_colour("#0A7d4F")) == "#0a7d4f");
}

TEST_CASE("whatever the colour, its text is readable, and on a dark page it stands out") {
  constexpr rgb dark_page{0x1a, 0x22, 0x31};
  for (int red = 0; red < 256; red += 15)
    for (int green = 0; green < 256; green += 15)
      for (int blue = 0; blue < 256; blue += 15) {
        const rgb colour{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                         static_cast<std::uint8_t>(blue)};
        const auto light = on_light_page(colour), dark = on_dark_page(colour);
        if (light.fill == colour && contrast(light.fill, light.text) >= 4.5 && contrast(dark.fill, dark.text) >= 4.5 &&
            contrast(dark.fill, dark_page) >= 3)
          continue;
        FAIL(to_string(colour) << " becomes " << to_string(dark.fill));
      }
  CHECK(on_dark_page({0xff, 0xd4, 0x00}).fill == rgb{0xff, 0xd4, 0x00});
}

TEST_CASE("customers are sent to an e-mail address, a telephone number or an https URL, and nowhere else") {
  struct {
    std::string_view contact;
    contact_kind kind;
  } const rows[] = {{"help@tea.example", contact_kind::email},
                    {"a.b+c@tea-house.example", contact_kind::email},
                    {"+852 2345-6789", contact_kind::telephone},
                    {"(021) 111 222", contact_kind::telephone},
                    {"https://tea.example/help?a=1", contact_kind::website},
                    {"http://tea.example", contact_kind::none},
                    {"https://", contact_kind::none},
                    {"https://tea.example/<b>", contact_kind::none},
                    {"javascript:alert(1)", contact_kind::none},
                    {"help@localhost", contact_kind::none},
                    {"help@@tea.example", contact_kind::none},
                    {"help me@tea.example", contact_kind::none},
                    {"help?subject=x@tea.example", contact_kind::none},
                    {"1234", contact_kind::none},
                    {"12+345678", contact_kind::none},
                    {"by pigeon", contact_kind::none},
                    {"", contact_kind::none}};
  for (const auto& row : rows) {
    CAPTURE(row.contact);
    CHECK(kind_of_contact(row.contact) == row.kind);
    CHECK(fault_of_support(row.contact).has_value() == (row.kind == contact_kind::none && !row.contact.empty()));
  }
  CHECK(dialled("+852 2345-6789") == "+85223456789");
  CHECK(fault_of_support(std::string(400, 'a') + "@tea.example"));
}

TEST_CASE("a shop's name is one line of at most 100 characters") {
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "茶";
  CHECK_FALSE(fault_of_shop_name(longest));
  CHECK(fault_of_shop_name(longest + "x"));
  CHECK(fault_of_shop_name("a\nb"));
  CHECK_FALSE(fault_of_shop_name(""));
}

TEST_CASE("a logo is one whole still PNG picture") {
  CHECK_FALSE(fault_of_logo(png_file{}.text()));
  CHECK_FALSE(fault_of_logo(png_file{}.with_chunk("tEXt", "Title").text()));
  CHECK_FALSE(fault_of_logo(png_file{1024, 1}.text()));
  struct {
    std::string file;
    std::string_view words;
  } const rows[] = {
      {"", "must be a PNG"},
      {"GIF89a", "must be a PNG"},
      {png_file{}.text().substr(0, 8), "not a whole"},
      {png_file{}.text().substr(0, 40), "not a whole"},
      {png_file{}.text() + "<script>", "not a whole"},
      {png_file{}.text().substr(0, png_file{}.text().size() - 1), "not a whole"},
      {png_file{1025, 1}.text(), "at most 1024"},
      {png_file{1, 2000}.text(), "at most 1024"},
      {png_file{0, 1}.text(), "not a whole"},
      {png_file{1, 1, 3, 2}.text(), "not a whole"},
      {png_file{}.without_picture().text(), "not a whole"},
      {png_file{}.with_chunk("acTL", std::string(8, '\0')).text(), "animated"},
      {png_file{}.with_chunk("eXIf", "where it was taken").text(), "does not need"},
      {png_file{}.with_chunk("IHDR", std::string(13, '\1')).text(), "not a whole"},
      {png_file{}.with_chunk("tEXt", std::string(most_logo_bytes, 'a')).text(), "too large: at most 64 KiB"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.words, row.file.size());
    const auto fault = fault_of_logo(row.file);
    REQUIRE(fault);
    CHECK(fault->find(row.words) != std::string::npos);
  }
  auto changed = png_file{}.text();
  for (std::size_t at = 8; at < changed.size(); ++at) {
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CAPTURE(at);
    CHECK(fault_of_logo(changed));
    changed[at] = static_cast<char>(changed[at] ^ 1);
  }
}
