// Copies of an embedded store's file, made while another process writes to it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gateway::persistence {

/// Copies the database as it is at one moment into `to`, an empty file, without its free pages. Reads through a
/// connection of its own, so commits go on; the write-ahead log grows meanwhile, because no checkpoint can restart it.
/// The copy has no log. Throws database_error.
void copy_database(const std::filesystem::path& from, const std::filesystem::path& to);

/// Writes a row of `meta` into a copy, which stays a single file. Throws database_error.
void put_meta_in_copy(const std::filesystem::path& copy, std::string_view name, std::string_view value);

/// The problems that SQLite finds in the file, at most a few; empty if it is sound. Reads only. Throws database_error.
std::string faults_of_copy(const std::filesystem::path& copy);

}  // namespace gateway::persistence
