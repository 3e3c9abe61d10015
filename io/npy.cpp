// NPY files: mapped for reading, one array each.
#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "io/commit.hpp"
#include "io/formats.hpp"
#include "io/mapping.hpp"
#include "io/npy_header.hpp"
#include "io/stored_array.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::Error;

/// An array in a mapped file: what the header says, and where the data begins.
struct MappedArray {
  NpyHeader header;
  Region data;
};

MappedArray map_array(const std::string& file, const std::string& name) {
  const auto mapping = Mapping::open(file);
  const Region region{mapping, mapping->data(), mapping->bytes()};
  NpyHeader header = parse_npy_header(region.text(), name);
  const std::uint64_t there = region.bytes - header.bytes;
  if (header.info.stored_bytes > there)
    throw Error(Category::data, "the file is cut short",
                fmt::format("{}, shape {} of {}", name, core::shape_text(header.info.shape),
                            core::dtype_name(header.info.dtype)),
                fmt::format("{} bytes of data, there are {}", header.info.stored_bytes, there));
  const std::size_t offset = header.bytes;
  return {std::move(header), region.from(offset)};
}

void refuse_member(std::string_view member, const std::string& operand) {
  if (!member.empty())
    throw Error(Category::usage, fmt::format("an .npy file has no member '{}'", member), operand,
                "the file name alone");
}

std::unique_ptr<Source> open_npy(const std::string& file, std::string_view member,
                                 std::string_view selection, const std::string& operand) {
  refuse_member(member, operand);
  MappedArray array = map_array(file, operand);
  return make_region_source(std::move(array.data), std::move(array.header.info), selection,
                            operand);
}

class NpySink final : public Sink {
 public:
  NpySink(const std::string& file, const SinkOptions& options)
      : name_(file), file_(file, options.sync) {}

  void declare(std::vector<ResultInfo> results) override {
    if (results.size() == 1) return;
    std::string names;
    for (const ResultInfo& result : results) names += (names.empty() ? "" : ", ") + result.name;
    throw Error(Category::usage,
                fmt::format("an .npy file holds one array, there are {} results", results.size()),
                name_, fmt::format("--only with one of {}, or an .npz or .h5 target", names));
  }

  void write(std::string_view, const core::ArrayRef& array) override {
    const std::string header = format_npy_header(array.dtype, array.shape);
    file_.write(header.data(), header.size());
    for_each_block(array, [&](const void* data, std::size_t bytes) { file_.write(data, bytes); });
  }

  void commit() override { file_.commit(); }

 private:
  std::string name_;
  PendingFile file_;
};

std::unique_ptr<Sink> create_npy(const std::string& file, std::string_view member,
                                 const SinkOptions& options) {
  refuse_member(member, file);
  return std::make_unique<NpySink>(file, options);
}

FileInfo inspect_npy(const std::string& file) {
  return {file, "npy", {map_array(file, file).header.info}};
}

constexpr std::string_view extensions[] = {".npy"};

}  // namespace

const Format npy_format = {
    "npy",    extensions, [](std::string_view first) { return first.starts_with(npy_magic); },
    open_npy, create_npy, inspect_npy,
};

}  // namespace tt::io
