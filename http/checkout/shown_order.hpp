// The part of a customer's page that says what is paid for.
#pragma once

#include <string_view>

#include "gateway/domain/money.hpp"
#include "language.hpp"

namespace ctemplate {
class TemplateDictionary;
}  // namespace ctemplate

namespace gateway::http {

/// The amount with its currency's name, and the description: a paragraph, or a list if it has several lines.
void show_order(ctemplate::TemplateDictionary& values, language reads, const money& amount,
                std::string_view description);

}  // namespace gateway::http
