// Writes JSON directly, where building a tree of values would cost too much.
#pragma once

#include <string>
#include <string_view>

namespace gateway {

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace gateway
