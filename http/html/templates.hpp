// The texts of templates/, embedded by CMake (templates.cpp.in).
#pragma once

#include <span>
#include <string_view>

namespace gateway::http {

struct template_text {
  std::string_view name;  ///< the file's name without `.html`
  std::string_view text;
};

std::span<const template_text> known_templates() noexcept;
/// The template with this name, which must exist.
std::string_view template_named(std::string_view name);
// Every page contains one of these styles, which its Content-Security-Policy permits by the hash.
std::string_view page_style() noexcept;
std::string_view customer_style() noexcept;
/// The script of the documents, which is served as a file.
std::string_view samples_script() noexcept;

}  // namespace gateway::http
