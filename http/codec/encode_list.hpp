// The body of a list that is read page by page.
#pragma once

#include <string>
#include <string_view>

#include "json_writer.hpp"

namespace gateway::http {

/// `{"<name>":[…],"next":"…"}`; an empty `next` is left out. `append(std::string&, item)` writes an item, or nothing.
template <class Items, class Append>
std::string encode_list(std::string_view name, const Items& items, std::string_view next, Append append) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member(name);
    list += '[';
    const auto first = list.size();
    for (const auto& each : items) {
      const auto before = list.size();
      if (before != first) list += ',';
      const auto begin = list.size();
      append(list, each);
      if (list.size() == begin) list.resize(before);
    }
    list += ']';
    body.text_if("next", next);
  }
  return out;
}

}  // namespace gateway::http
