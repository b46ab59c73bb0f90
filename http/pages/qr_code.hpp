// A QR code as a drawing inside a page.
#pragma once

#include <string>
#include <string_view>

namespace gateway::http {

/// An `<svg>` that holds the text's code: black on white whatever the page's colours are, with the quiet zone that
/// cameras need around it. `label` is what is read to somebody who does not see it. No script and no style, so that
/// every page's policy lets it be. Throws std::runtime_error where a text is too long for a code, which an address
/// that an app reads is not.
std::string qr_code(std::string_view text, std::string_view label);

}  // namespace gateway::http
