#include "block_parts.hpp"

namespace gateway::http {

using namespace blocks;

namespace {

void show_piece(TemplateDictionary& item, const std::string& text) { set_if_any(item, "PLAIN", "TEXT", text); }
void show_piece(TemplateDictionary& item, const badge& what) {
  auto& at = *item.AddSectionDictionary("BADGE");
  set(at, "TONE", class_of(what.how));
  set(at, "TEXT", what.text);
}
void show_piece(TemplateDictionary& item, const link& to) { show_link(item, "LINK", to); }
void show_piece(TemplateDictionary& item, const code& what) { set_if_any(item, "CODE", "TEXT", what.text); }
void show_piece(TemplateDictionary& item, const shown_time& when) {
  if (when.text.empty()) return;
  auto& at = *item.AddSectionDictionary("TIME");
  set(at, "ISO", when.iso);
  set(at, "UTC", when.utc);
  set(at, "TEXT", when.text);
}
void show_piece(TemplateDictionary& item, const described& what) {
  auto& at = *item.AddSectionDictionary("DESCRIBED");
  set(at, "TEXT", what.text);
  set(at, "DETAIL", what.detail);
}
void show_piece(TemplateDictionary& item, const act_form& what) {
  show_form(include_part(*item.AddSectionDictionary("FORM"), "PART", "part_form"), what);
}

// For each block: the name of its part, and the function that fills it.

constexpr const char* part_of(const facts&) { return "part_facts"; }
void show(TemplateDictionary& part, const facts& what) {
  for (const auto& row : what.rows) {
    auto& item = *part.AddSectionDictionary("FACT");
    set(item, "NAME", row.name);
    show_pieces(item, row.value);
  }
}

constexpr const char* part_of(const table&) { return "part_table"; }
void show(TemplateDictionary& part, const table& what) { show_table(part, what); }

constexpr const char* part_of(const paragraph&) { return "part_paragraph"; }
void show(TemplateDictionary& part, const paragraph& what) { show_pieces(part, what.text); }

constexpr const char* part_of(const empty_state&) { return "part_empty_state"; }
void show(TemplateDictionary& part, const empty_state& what) {
  set(part, "TITLE", what.title);
  set(part, "TEXT", what.text);
  if (what.next.text.empty()) return;
  auto& next = *part.AddSectionDictionary("NEXT");
  set(next, "URL", what.next.url);
  set(next, "LABEL", what.next.text);
}

constexpr const char* part_of(const callout&) { return "part_callout"; }
void show(TemplateDictionary& part, const callout& what) {
  set(part, "TONE", class_of(what.how));
  set(part, "TITLE", what.title);
  set_if_any(part, "TOLD", "TEXT", what.text);
}

constexpr const char* part_of(const secret&) { return "part_secret"; }
void show(TemplateDictionary& part, const secret& what) {
  set(part, "LABEL", what.label);
  for (const auto& value : what.values) set(*part.AddSectionDictionary("LINE"), "TEXT", value);
}

constexpr const char* part_of(const pager&) { return "part_pager"; }
void show(TemplateDictionary& part, const pager& what) {
  set(part, "LABEL", what.label);
  for (const auto& to : what.links) show_link(part, "LINK", to);
}

constexpr const char* part_of(const tabs&) { return "part_tabs"; }
void show(TemplateDictionary& part, const tabs& what) {
  set(part, "LABEL", what.label);
  for (const auto& each : what.items) {
    auto& item = *part.AddSectionDictionary("TAB");
    set(item, "URL", each.url);
    set(item, "TEXT", each.text);
    if (each.here) item.ShowSection("HERE");
    set_if_any(item, "COUNTED", "COUNT", each.count);
  }
}

constexpr const char* part_of(const list&) { return "part_list"; }
void show(TemplateDictionary& part, const list& what) {
  for (const auto& item : what.items) show_pieces(*part.AddSectionDictionary("ITEM"), item);
}

constexpr const char* part_of(const own_markup&) { return "part_own_markup"; }
void show(TemplateDictionary& part, const own_markup& what) {
  set(part, "MARKUP", what.html);
  set_if_any(part, "CAPTIONED", "CAPTION", what.caption);
}

constexpr const char* part_of(const act_form&) { return "part_form"; }
void show(TemplateDictionary& part, const act_form& what) { show_form(part, what); }

constexpr const char* part_of(const timeline&) { return "part_timeline"; }
void show(TemplateDictionary& part, const timeline& what) {
  for (const auto& happened : what.events) {
    auto& item = *part.AddSectionDictionary("EVENT");
    set(item, "TONE", class_of(happened.how));
    set(item, "TITLE", happened.title);
    set(item, "ISO", happened.at.iso);
    set(item, "UTC", happened.at.utc);
    set(item, "AT", happened.at.text);
    if (!happened.text.empty()) show_pieces(*item.AddSectionDictionary("TOLD"), happened.text);
  }
}

constexpr const char* part_of(const chart&) { return "part_chart"; }
void show(TemplateDictionary& part, const chart& what) { show_chart(part, what); }

constexpr const char* part_of(const figures&) { return "part_figures"; }
void show(TemplateDictionary& part, const figures& what) {
  for (const auto& each : what.items) {
    auto& item = *part.AddSectionDictionary("FIGURE");
    set(item, "NAME", each.name);
    set(item, "VALUE", each.value);
    set_if_any(item, "DETAILED", "DETAIL", each.detail);
  }
}

}  // namespace

TemplateDictionary& include_part(TemplateDictionary& where, const char* place, const char* part) {
  auto& included = *where.AddIncludeDictionary(place);
  included.SetFilename(part);
  return included;
}

std::string_view class_of(tone how) noexcept {
  constexpr std::string_view names[] = {"neutral", "good", "waiting", "bad"};
  return names[static_cast<std::size_t>(how)];
}

void show_link(TemplateDictionary& where, const char* section, const link& to) {
  if (to.text.empty()) return;
  auto& at = *where.AddSectionDictionary(section);
  set(at, "URL", to.url);
  set(at, "TEXT", to.text);
}

void show_pieces(TemplateDictionary& where, const pieces& values) {
  auto& part = include_part(where, "PIECES", "part_pieces");
  for (const auto& value : values) {
    auto& item = *part.AddSectionDictionary("PIECE");
    std::visit([&](const auto& what) { show_piece(item, what); }, value);
  }
}

void show_table(TemplateDictionary& part, const table& what) {
  set(part, "CAPTION", what.caption);
  set(part, "KIND", what.brief ? "brief" : "rows");
  for (const auto& column : what.columns) {
    auto& head = *part.AddSectionDictionary("COLUMN");
    set(head, "NAME", column.name);
    if (column.number) head.ShowSection("NUMBER");
  }
  for (const auto& row : what.rows) {
    auto& line = *part.AddSectionDictionary("ROW");
    for (std::size_t i = 0; i < row.size() && i < what.columns.size(); ++i) {
      auto& cell = *line.AddSectionDictionary(i == 0 ? "HEAD" : "CELL");
      set(cell, "NAME", what.columns[i].name);
      if (what.columns[i].number) cell.ShowSection("NUMBER");
      show_pieces(cell, row[i]);
    }
  }
}

void show_sections(TemplateDictionary& page, const std::vector<section>& sections) {
  auto& part = include_part(page, "SECTIONS", "part_sections");
  for (const auto& each : sections) {
    auto& item = *part.AddSectionDictionary("SECTION");
    set(item, "ID", each.id);
    if (!each.title.empty()) {
      item.ShowSection("NAMED");
      set_if_any(item, "TITLED", "TITLE", each.title);
    }
    for (const auto& what : each.blocks) {
      auto& at = *item.AddSectionDictionary("BLOCK");
      std::visit([&](const auto& shape) { show(include_part(at, "PART", part_of(shape)), shape); }, what);
    }
  }
}

}  // namespace gateway::http
