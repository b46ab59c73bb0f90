// Options, positional arguments and commands of a program's command line. CLI11, whose headers take two seconds to
// compile, is included by option_parser.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gateway::options {

/// An option or a positional argument of a command.
class option {
 public:
  explicit option(CLI::Option* of) noexcept : of_(of) {}

  option required(bool yes = true) const;
  /// The name of its values in the help.
  option type_name(std::string_view name) const;
  /// The heading in the help above the option.
  option group(std::string_view name) const;
  /// Allows only these values; `values` separates them by commas.
  option one_of(std::string_view values) const;
  /// Allows whole numbers from `least` to `most`.
  option within(int least, int most) const;
  /// `fault` returns what is wrong with a value; an empty text allows it.
  option check(std::function<std::string(const std::string&)> fault) const;

 private:
  CLI::Option* of_;
};

/// A program or one of its commands. The variables that values are bound to must outlive the parser.
class command {
 public:
  explicit command(CLI::App* of) noexcept : of_(of) {}

  command add_command(std::string_view name, std::string_view help) const;
  /// Exactly one of the commands that are added must be given.
  void require_command() const;
  /// Ends this command's help with the commands added so far, each with its own commands, and then with `rest`.
  void list_commands(std::string_view heading, std::string_view rest) const;
  /// `done` is called when the command is on the command line and all its values are bound.
  void on_parsed(std::function<void()> done) const;

  /// Adds a group of options under its own heading. At least `least` and at most `most` of them must be given.
  command add_group(std::string_view heading, std::string_view help, std::size_t least, std::size_t most) const;

  /// A name that starts with hyphens is an option; any other is a positional argument.
  option add(std::string_view name, std::string& into, std::string_view help) const;
  option add(std::string_view name, std::vector<std::string>& into, std::string_view help) const;
  option add(std::string_view name, std::uint32_t& into, std::string_view help) const;
  option add(std::string_view name, std::int64_t& into, std::string_view help) const;
  option add(std::string_view name, std::function<void(const std::string&)> take, std::string_view help) const;
  option add_flag(std::string_view name, bool& into, std::string_view help) const;
  option add_flag(std::string_view name, std::function<void(bool)> take, std::string_view help) const;

 private:
  CLI::App* of_;
};

enum class outcome {
  parsed,   ///< all values are bound
  help,     ///< `text` is the help of the program or of the command that was given
  version,  ///< `text` is the version
  fault,    ///< `text` says what is wrong
};

struct result {
  outcome what = outcome::parsed;
  std::string text;
  std::vector<std::string> unexpected;  ///< of a fault: arguments that no option or command takes
};

/// The texts of the help besides the options.
struct program {
  std::string_view name;
  std::string_view description;
  std::string_view version;           ///< what --version prints
  std::string_view help = {};         ///< describes --help; empty: CLI11's text
  std::string_view group = {};        ///< the heading of --help and --version; empty: CLI11's
  std::string_view footer = {};
  std::size_t column_width = 30;
  bool options_after_command = false;  ///< the program's own options may follow a command as well
};

class parser {
 public:
  explicit parser(const program& described);
  ~parser();
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  command root() const noexcept { return command{app_.get()}; }
  /// Exceptions of the functions given to on_parsed() pass through.
  result parse(int argc, const char* const* argv) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace gateway::options
