#include "shown_order.hpp"

#include "gateway/domain/text.hpp"
#include "http/html/fill.hpp"
#include "shown_price.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view line_blanks = " \t\r";

}  // namespace

void show_order(ctemplate::TemplateDictionary& values, language reads, const money& amount,
                std::string_view description) {
  set(values, "AMOUNT", shown_price(reads, amount));
  set_if_any(values, "NAMED", "CURRENCY", currency_name(reads, amount.unit));
  const auto whole = trimmed(description, " \t\r\n");
  if (whole.find('\n') == whole.npos) {
    set_if_any(values, "DESCRIBED", "DESCRIPTION", whole);
    return;
  }
  auto& list = *values.AddSectionDictionary("LINES");
  for (auto rest = whole; !rest.empty();)
    set_if_any(list, "LINE", "TEXT", trimmed(cut_before(rest, '\n'), line_blanks));
}

}  // namespace gateway::http
