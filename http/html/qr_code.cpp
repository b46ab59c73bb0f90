#include "qr_code.hpp"

#include <memory>
#include <stdexcept>

#include <qrencode.h>

namespace gateway::http {
namespace {

constexpr int quiet_zone = 4;        ///< modules on each side, as ISO/IEC 18004 requires
constexpr int pixels_of_module = 5;  ///< unless the page's style sets another size

struct freed_code {
  void operator()(QRcode* code) const noexcept { QRcode_free(code); }
};

std::string escaped_for_attribute(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += c;
    }
  }
  return html;
}

/// One rectangle per run of black modules in a row.
std::string path_of(const QRcode& code) {
  std::string path;
  for (int y = 0; y < code.width; ++y) {
    const auto* row = code.data + y * code.width;
    for (int x = 0; x < code.width; ++x) {
      if (!(row[x] & 1)) continue;
      const int begin = x;
      while (x < code.width && (row[x] & 1)) ++x;
      const auto length = std::to_string(x - begin);
      path.append("M").append(std::to_string(begin + quiet_zone)).append(" ").append(std::to_string(y + quiet_zone));
      path.append("h").append(length).append("v1h-").append(length).append("z");
    }
  }
  return path;
}

}  // namespace

std::string qr_code(std::string_view text, std::string_view label) {
  const std::unique_ptr<QRcode, freed_code> code{QRcode_encodeData(
      static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()), 0, QR_ECLEVEL_M)};
  if (!code) throw std::runtime_error{"a text that no QR code can hold"};
  const auto side = std::to_string(code->width + 2 * quiet_zone);
  const auto pixels = std::to_string((code->width + 2 * quiet_zone) * pixels_of_module);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"";
  svg.append(escaped_for_attribute(label)).append("\" viewBox=\"0 0 ").append(side).append(" ").append(side);
  svg.append("\" width=\"").append(pixels).append("\" height=\"").append(pixels);
  svg.append("\" shape-rendering=\"crispEdges\"><rect width=\"").append(side).append("\" height=\"").append(side);
  svg.append("\" fill=\"#fff\"/><path fill=\"#000\" d=\"").append(path_of(*code)).append("\"/></svg>");
  return svg;
}

}  // namespace gateway::http
