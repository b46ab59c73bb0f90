// A QR code as a drawing inside a page.
#pragma once

#include <string>
#include <string_view>

namespace gateway::http {

/// An `<svg>` with the text's code: black on white whatever the page's colours, including the quiet zone that cameras
/// need. `label` is the text for screen readers. It has no script and no style, so every page's policy allows it.
/// Throws std::runtime_error if the text is too long for a code, as an otpauth address never is.
std::string qr_code(std::string_view text, std::string_view label);

}  // namespace gateway::http
