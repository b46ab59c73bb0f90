#include "shown_price.hpp"

#include <algorithm>
#include <array>

#include "gateway/domain/shown_money.hpp"

namespace gateway::http {
namespace {

struct currency_words {
  std::string_view code;
  std::string_view chinese_sign;  ///< as Chinese (traditional) writes it, such as `US$`
  std::array<std::string_view, language_count> names;
};
// The most used currencies. Others are shown by their code alone.
constexpr currency_words words_of_currencies[] = {
    {"HKD", "HK$", {"Hong Kong dollars", "港元", "ہانگ کانگ ڈالر"}},
    {"PKR", "PKR ", {"Pakistani rupees", "巴基斯坦盧比", "پاکستانی روپے"}},
    {"USD", "US$", {"US dollars", "美元", "امریکی ڈالر"}},
    {"EUR", "€", {"euros", "歐元", "یورو"}},
    {"GBP", "£", {"pounds sterling", "英鎊", "برطانوی پاؤنڈ"}},
    {"JPY", "¥", {"Japanese yen", "日圓", "جاپانی ین"}},
    {"CNY", "CN¥", {"Chinese yuan", "人民幣", "چینی یوآن"}},
    {"TWD", "NT$", {"New Taiwan dollars", "新臺幣", "نیا تائیوانی ڈالر"}},
    {"SGD", "SGD ", {"Singapore dollars", "新加坡元", "سنگاپوری ڈالر"}},
    {"KWD", "KWD ", {"Kuwaiti dinars", "科威特第納爾", "کویتی دینار"}},
};

const currency_words* words_of(currency unit) noexcept {
  const auto* found = std::ranges::find(words_of_currencies, unit.code(), &currency_words::code);
  return found == std::end(words_of_currencies) ? nullptr : found;
}

}  // namespace

std::string shown_price(language in, const money& amount) {
  auto text = amount_text(amount);
  const auto* words = words_of(amount.unit);
  if (in != language::chinese || !words) return text;
  return std::string{words->chinese_sign} + text.substr(amount.unit.code().size() + 1);
}

std::string_view currency_name(language in, currency unit) noexcept {
  const auto* words = words_of(unit);
  return words ? words->names[static_cast<std::size_t>(in)] : std::string_view{};
}

}  // namespace gateway::http
