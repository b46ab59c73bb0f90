// What the tests have from npm, as tests/end_to_end/NAME/package-lock.json pins it.
#pragma once

#include <filesystem>
#include <string>

namespace gateway::e2e {

/// Copies that folder to `<build>/end_to_end/NAME`, installs there what is missing, and returns the copy. Throws
/// std::runtime_error with what npm says if it cannot.
std::filesystem::path npm_package(const std::string& name);

/// The text of axe-core, which looks for what keeps people from using a page; or why it cannot be had, in `why`.
std::string axe_core(std::string& why);

}  // namespace gateway::e2e
