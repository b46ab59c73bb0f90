// Parts that several blocks share, filled into ctemplate's dictionaries. For sources that make pages.
#pragma once

#include "blocks.hpp"
#include "fill.hpp"

namespace gateway::http {

using ctemplate::TemplateDictionary;

/// Includes the template `part` at `{{>place}}`.
TemplateDictionary& include_part(TemplateDictionary& where, const char* place, const char* part);
/// Fills `{{>PIECES}}`.
void show_pieces(TemplateDictionary& where, const blocks::pieces& values);
void show_table(TemplateDictionary& part, const blocks::table& what);
void show_form(TemplateDictionary& part, const blocks::act_form& what);
void show_chart(TemplateDictionary& part, const blocks::chart& what);
void show_link(TemplateDictionary& where, const char* section, const blocks::link& to);
/// The tone's CSS class.
std::string_view class_of(blocks::tone how) noexcept;

}  // namespace gateway::http
