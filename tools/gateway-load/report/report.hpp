// The forms of a run's result: a table for a terminal, a JSON file, and an HTML page with charts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/result.hpp"

namespace gateway::load {

/// One JSON object. Throws std::runtime_error with one line that names the file.
void write_json(const run_result& run, const std::filesystem::path& file);
run_result read_json(const std::filesystem::path& file);

/// The table that a run prints at its end.
std::string table_of(const run_result& run);

/// The curves of several runs (see curves.hpp), as tables; nothing if there are none.
std::string table_of_curves(const std::vector<run_result>& runs);

/// One self-contained page, in which several runs are drawn over each other. Without a title the page is titled with
/// their names.
std::string html_report(const std::vector<run_result>& runs, const std::string& title = {});

}  // namespace gateway::load
