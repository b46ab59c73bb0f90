// Schemas as parts of a page. For sources of this folder only.
#pragma once

#include <string_view>

#include "http/html/block_parts.hpp"
#include "openapi.hpp"

namespace gateway::http {

/// Sets `{{ABOUT:none}}` to a description, which is CommonMark.
void set_about(TemplateDictionary& values, std::string_view text);
void show_type(TemplateDictionary& where, const char* section, const openapi::type_name& type);
void show_field(TemplateDictionary& item, const openapi::member_view& what);
/// `shows_title`: shows the schema's title, because the schema is one of several variants.
void show_schema(TemplateDictionary& where, const char* place, const openapi::schema_view& what,
                 bool shows_title = false);

}  // namespace gateway::http
