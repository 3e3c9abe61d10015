// Rules on the tree itself: directions and homes of includes, threads only in core/team, headers
// that say what they answer, files that CMake knows, names that README promises and the code reads.
// Each rule is a function of text, tried on a bad sample too, for a rule that cannot fail is no
// rule.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path root = TT_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct SourceFile {
  std::string path;  // from the root: "core/plan/spec.cpp"
  std::string text;
};

std::vector<SourceFile> source_files(std::initializer_list<const char*> folders) {
  std::vector<SourceFile> files;
  for (const char* folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".hpp" || extension == ".cpp")
        files.push_back({fs::relative(entry.path(), root).generic_string(), read(entry.path())});
    }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::string top_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::vector<std::string> includes(const std::string& text) {
  static const std::regex pattern(R"re((?:^|\n)\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1]);
  return found;
}

/// cli -> io, kernels, core; io -> core; kernels -> core; tests may see all.
std::vector<std::string> wrong_directions(const SourceFile& file) {
  static const std::map<std::string, std::set<std::string>> allowed = {
      {"core", {"core"}},
      {"io", {"io", "core"}},
      {"kernels", {"kernels", "core"}},
      {"cli", {"cli", "io", "kernels", "core"}}};
  std::vector<std::string> wrong;
  for (const std::string& include : includes(file.text)) {
    const std::string target = top_folder(include);
    if (allowed.contains(target) && !allowed.at(top_folder(file.path)).contains(target))
      wrong.push_back(file.path + " includes " + include);
  }
  return wrong;
}

/// A package is included at its home only.
std::vector<std::string> packages_away_from_home(const SourceFile& file) {
  struct Home {
    std::regex include, path;
  };
  static const std::vector<Home> homes = {
      {std::regex("CLI/.*"), std::regex("cli/.*")},
      {std::regex("hdf5.*"), std::regex("io/hdf5.*")},
      {std::regex("minizip/.*"), std::regex("io/npz.*")},
      {std::regex("zlib.h"), std::regex("io/.*")},
      {std::regex("hwloc.*"), std::regex("core/team/topology.cpp")},
      {std::regex("omp.h"), std::regex("core/team/.*.cpp")},
      {std::regex("xsimd/.*"), std::regex("kernels/.*(micro|isa)/.*")},
      {std::regex("nlohmann/.*"), std::regex("core/cost/json.cpp|core/trace/.*|cli/.*")},
  };
  std::vector<std::string> wrong;
  for (const std::string& include : includes(file.text))
    for (const Home& home : homes)
      if (std::regex_match(include, home.include) && !std::regex_match(file.path, home.path))
        wrong.push_back(file.path + " includes <" + include + "> away from its home");
  return wrong;
}

/// Threads are core/team's: no OpenMP pragma, no thread of the standard library elsewhere.
std::vector<std::string> threads_away_from_team(const SourceFile& file) {
  static const std::regex pattern(R"(#\s*pragma\s+omp|std::j?thread\b|std::async\b)");
  if (file.path.starts_with("core/team/") || !std::regex_search(file.text, pattern)) return {};
  return {file.path + " uses threads outside core/team"};
}

/// A header starts with 2 to 10 lines of comment, then "#pragma once".
std::vector<std::string> headers_without_opening(const SourceFile& file) {
  if (!file.path.ends_with(".hpp")) return {};
  std::istringstream lines(file.text);
  int comment = 0;
  std::string line;
  while (std::getline(lines, line) && line.starts_with("//")) ++comment;
  if (comment >= 1 && comment <= 10 && line == "#pragma once") return {};
  return {file.path + " does not open with 1 to 10 lines of comment and #pragma once"};
}

std::vector<std::string> long_lines(const SourceFile& file) {
  std::vector<std::string> wrong;
  std::istringstream lines(file.text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto characters = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    if (characters > 100)
      wrong.push_back(file.path + ":" + std::to_string(number) + " is longer than 100 columns");
  }
  return wrong;
}

std::vector<std::string> unfinished_marks(const SourceFile& file) {
  static const std::regex pattern(R"(\b(TO)DO\b|\bFIX(ME)\b|\bX{3}\b)");
  if (!std::regex_search(file.text, pattern)) return {};
  return {file.path + " holds an unfinished mark"};
}

template <class Rule>
void check_all(Rule rule, std::initializer_list<const char*> folders) {
  for (const SourceFile& file : source_files(folders))
    for (const std::string& wrong : rule(file)) FAIL_CHECK(wrong);
}

/// Every file name that the CMakeLists.txt of a folder lists, with the folder in front.
std::set<std::string> files_known_to_cmake() {
  std::set<std::string> known;
  static const std::regex pattern(R"([\w/.${}-]+\.[ch]pp)");
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string path = fs::relative(entry.path(), root).generic_string();
    if (entry.path().filename() != "CMakeLists.txt" || path.starts_with("build")) continue;
    const std::string text = read(entry.path());
    const std::string folder = fs::path(path).parent_path().generic_string();
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      std::string name = it->str();
      const std::string variable = "${CMAKE_SOURCE_DIR}/";
      known.insert(name.starts_with(variable) ? name.substr(variable.size())
                                              : (folder.empty() ? name : folder + "/" + name));
    }
    static const std::regex isa(R"(tt_add_isa\((\w+))");
    for (std::sregex_iterator it(text.begin(), text.end(), isa), end; it != end; ++it)
      known.insert(folder + "/isa/" + (*it)[1].str() + ".cpp");
  }
  return known;
}

/// Words of a pattern that `promised` names and `code` does not.
std::vector<std::string> unread_words(const std::string& promised, const std::string& code,
                                      const std::regex& pattern) {
  std::set<std::string> missing;
  for (std::sregex_iterator it(promised.begin(), promised.end(), pattern), end; it != end; ++it)
    if (code.find((*it)[1].str()) == std::string::npos) missing.insert((*it)[1].str());
  return {missing.begin(), missing.end()};
}

}  // namespace

TEST_CASE("dependencies point one way") {
  CHECK(wrong_directions({"io/npy.cpp", "#include \"kernels/gemm/gemm.hpp\"\n"}).size() == 1);
  CHECK(wrong_directions({"cli/app.cpp", "#include \"io/source.hpp\"\n"}).empty());
  check_all(wrong_directions, {"core", "io", "kernels", "cli"});
}

TEST_CASE("a package is used at its home") {
  CHECK(packages_away_from_home({"io/npy.cpp", "#include <hdf5.h>\n"}).size() == 1);
  CHECK(packages_away_from_home({"core/team/topology.cpp", "#include <hwloc.h>\n"}).empty());
  check_all(packages_away_from_home, {"core", "io", "kernels", "cli"});
}

TEST_CASE("threads live in core/team") {
  CHECK(threads_away_from_team({"kernels/x.cpp", "#pragma omp parallel\n"}).size() == 1);
  CHECK(threads_away_from_team({"core/team/team.cpp", "#pragma omp parallel\n"}).empty());
  check_all(threads_away_from_team, {"core", "io", "kernels", "cli"});
}

TEST_CASE("a header says which question it answers") {
  CHECK(headers_without_opening({"core/x.hpp", "#pragma once\n"}).size() == 1);
  CHECK(headers_without_opening({"core/x.hpp", "// What.\n#pragma once\n"}).empty());
  check_all(headers_without_opening, {"core", "io", "kernels", "cli"});
}

TEST_CASE("lines are up to 100 columns") {
  CHECK(long_lines({"core/x.cpp", std::string(101, 'x') + "\n"}).size() == 1);
  CHECK(long_lines({"core/x.cpp", std::string(100, 'x') + "\n"}).empty());
  check_all(long_lines, {"core", "io", "kernels", "cli"});
}

TEST_CASE("nothing is marked as unfinished") {
  CHECK(unfinished_marks({"core/x.cpp", std::string("// TO") + "DO\n"}).size() == 1);
  check_all(unfinished_marks, {"core", "io", "kernels", "cli", "tests"});
}

TEST_CASE("CMake knows every source file") {
  const std::set<std::string> known = files_known_to_cmake();
  CHECK(!known.contains("core/no_such_file.cpp"));
  for (const SourceFile& file : source_files({"core", "io", "kernels", "cli", "tests"}))
    if (file.path.ends_with(".cpp")) {
      CAPTURE(file.path);
      CHECK(known.contains(file.path));
    }
}

TEST_CASE("every TT_ variable and every option that README names is read in the code") {
  std::string code;
  for (const SourceFile& file : source_files({"core", "io", "kernels", "cli"})) code += file.text;
  const std::string scripts = read(root / "tests/run.sh") + read(root / "examples/quickstart.sh") +
                              read(root / "CMakeLists.txt");
  const std::regex variables(R"(\b(TT_[A-Z_]+)\b)");
  const std::regex options(R"([\s`\[](--[a-z][a-z-]+))");
  CHECK(unread_words("set TT_NO_SUCH_THING or --no-such-option", code, variables).size() == 1);
  CHECK(unread_words("set ` --no-such-option", code, options).size() == 1);
  const std::string readme = read(root / "README.md");
  // Options of cmake and of the scripts stand in README too.
  for (const std::string& word : unread_words(readme, code + scripts, variables)) FAIL_CHECK(word);
  static const std::set<std::string> others = {"--preset", "--build", "--install", "--prefix"};
  for (const std::string& word : unread_words(readme, code + scripts, options))
    if (!others.contains(word)) FAIL_CHECK(word);
}
