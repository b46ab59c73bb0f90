#include "persistence/tables/columns.hpp"

#include <algorithm>
#include <stdexcept>

namespace gateway::persistence {

namespace {

std::string with_commas(const std::vector<std::string_view>& names, std::string_view prefix = {}) {
  std::string text;
  for (const auto name : names) {
    if (!text.empty()) text += ", ";
    (text += prefix) += name;
  }
  return text;
}

std::string token_text(dialect to, std::string_view token, const table_columns* of) {
  if (const auto bar = token.find('|'); bar != std::string_view::npos)
    return std::string{to == dialect::sqlite ? token.substr(0, bar) : token.substr(bar + 1)};
  if (token.starts_with("by ")) {
    const std::string index{token.substr(3)};
    return to == dialect::sqlite ? "INDEXED BY " + index : "FORCE INDEX (" + index + ")";
  }
  if (!of || !token.starts_with("columns")) throw std::logic_error("unknown token in a statement");
  const auto alias = token.substr(std::min(token.size(), std::string_view{"columns "}.size()));
  return of->selected(alias.empty() ? std::string{} : std::string{alias} + '.');
}

std::string rendered(dialect to, std::string_view text, const table_columns* of) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{') {
      const auto end = text.find('}', at);
      made += token_text(to, text.substr(at + 1, end - at - 1), of);
      at = end;
    } else if (c != ' ' && c != '\n') {
      made += c;
    } else if (!made.empty() && made.back() != ' ' && made.back() != '(') {
      made += ' ';
    }
  }
  if (made.ends_with(' ')) made.pop_back();
  return made;
}

}  // namespace

void column_names::add(const char* name, role what, const char* stand_in) { all_.push_back({name, what, stand_in}); }

table_columns::table_columns(std::string_view table, void (*lines)(column_names&)) : table_(table) {
  column_names names;
  lines(names);
  std::vector<std::string_view> unused, values;
  using enum column_names::role;
  for (const auto& one : names.all()) {
    const bool is_key = one.what == given || one.what == key;
    written_.push_back(one.name);
    if (is_key) ++keys_;
    if (one.what != given) selected_.push_back(one.name);
    if (one.what != fixed) changed_.push_back(one.name);
    if (one.what == changing) changing_.push_back(one.name);
    if (one.stand_in.empty()) continue;
    unused.push_back(one.name);
    values.push_back(one.stand_in);
  }
  unused_columns_ = with_commas(unused);
  unused_values_ = with_commas(values);
}

write_shape table_columns::insert() const noexcept {
  return {.what = write_shape::form::insert, .table = table_, .columns = written_, .keys = keys_};
}

write_shape table_columns::put() const noexcept {
  return {
      .what = write_shape::form::upsert, .table = table_, .columns = written_, .keys = keys_, .replaced = changing_};
}

write_shape table_columns::add() const noexcept {
  auto shape = put();
  shape.what = write_shape::form::add;
  return shape;
}

write_shape table_columns::update(std::string_view guard, bool another_unique_key) const {
  if (!guard.starts_with(changed_.back()))
    throw std::logic_error{std::string{table_} + ": the column that the guard reads must be the last that changes"};
  return {.what = write_shape::form::guarded_update,
          .table = table_,
          .columns = changed_,
          .keys = keys_,
          .guard = guard,
          .unused_columns = unused_columns_,
          .unused_values = unused_values_,
          .another_unique_key = another_unique_key};
}

std::string table_columns::selected(std::string_view prefix) const { return with_commas(selected_, prefix); }

statement sql(std::string_view text) { return sql(text, text); }

statement sql(std::string_view text, const table_columns& of) { return sql(text, text, of); }

statement sql(std::string_view sqlite, std::string_view mysql) {
  return {rendered(dialect::sqlite, sqlite, nullptr), rendered(dialect::mysql, mysql, nullptr)};
}

statement sql(std::string_view sqlite, std::string_view mysql, const table_columns& of) {
  return {rendered(dialect::sqlite, sqlite, &of), rendered(dialect::mysql, mysql, &of)};
}

}  // namespace gateway::persistence
