// Small files that survive a power failure, and checksums of files of any size. All functions throw std::runtime_error
// with one line that names the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gateway {

/// Replaces the file: after a crash it has the old contents or the new ones, and after the return the new ones. Only
/// its owner may read it.
void write_durably(const std::filesystem::path& file, std::string_view contents);

/// Makes an empty file that only its owner may read. Fails if there is one.
void make_private_file(const std::filesystem::path& file);

/// Flushes a file's contents, or a folder's names, to the disk.
void sync_to_disk(const std::filesystem::path& file);

/// All of a small file. Fails if it is longer.
std::string read_small_file(const std::filesystem::path& file, std::size_t most_bytes);

/// 64 hex digits.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace gateway
