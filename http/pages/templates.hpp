// The texts of templates/, as CMake has embedded them (templates.cpp.in).
#pragma once

#include <span>
#include <string_view>

namespace gateway::http {

struct template_text {
  std::string_view name;  ///< the file's, without `.html`
  std::string_view text;
};

std::span<const template_text> known_templates() noexcept;
/// The template of this name, which there must be.
std::string_view template_named(std::string_view name);
/// Stands in every page and is named by its hash in the policy: pages load nothing.
std::string_view page_style() noexcept;

}  // namespace gateway::http
