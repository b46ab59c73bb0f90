// The npm packages of the tests, pinned by tests/end_to_end/NAME/package-lock.json.
#pragma once

#include <filesystem>
#include <string>

namespace gateway::e2e {

/// Copies that folder to `<build>/end_to_end/NAME`, installs what is missing, and returns the copy. Throws
/// std::runtime_error with npm's output if it cannot.
std::filesystem::path npm_package(const std::string& name);

/// The source text of axe-core, which checks pages for accessibility faults. If it cannot be had, `why` says why.
std::string axe_core(std::string& why);

}  // namespace gateway::e2e
