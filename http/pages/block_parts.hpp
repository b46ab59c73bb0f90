// The parts of blocks that other blocks consist of, filled into ctemplate's dictionaries. For sources of this folder
// only.
#pragma once

#include "blocks.hpp"
#include "fill.hpp"

namespace gateway::http {

using ctemplate::TemplateDictionary;

/// The part of this name at the place that the template calls `place`.
TemplateDictionary& include_part(TemplateDictionary& where, const char* place, const char* part);
/// At `{{>PIECES}}`.
void show_pieces(TemplateDictionary& where, const blocks::pieces& values);
void show_table(TemplateDictionary& part, const blocks::table& what);
void show_form(TemplateDictionary& part, const blocks::act_form& what);
void show_chart(TemplateDictionary& part, const blocks::chart& what);
void show_link(TemplateDictionary& where, const char* section, const blocks::link& to);
/// The style's class.
std::string_view class_of(blocks::tone how) noexcept;

}  // namespace gateway::http
