#include "brand_style.hpp"

#include "gateway/domain/branding.hpp"

namespace gateway::http {
namespace {

std::string root_rule(const colour_pair& colours) {
  return ":root{--brand:" + to_string(colours.fill) + ";--on-brand:" + to_string(colours.text) + "}";
}

}  // namespace

std::string brand_style(std::string_view colour) {
  const auto parsed = parse_colour(colour);
  if (!parsed) return {};
  return root_rule(on_light_page(*parsed)) + "@media(prefers-color-scheme:dark){" + root_rule(on_dark_page(*parsed)) +
         "}";
}

}  // namespace gateway::http
