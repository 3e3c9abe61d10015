#include "core/plan/layout.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace tt::core {
namespace {

/// Position of each label in a list.
std::unordered_map<Label, int> positions(std::span<const Label> labels) {
  std::unordered_map<Label, int> place;
  for (std::size_t i = 0; i < labels.size(); ++i) place.emplace(labels[i], static_cast<int>(i));
  return place;
}

enum Part { batch, free_labels, contracted };
enum Source { both, from_a, from_b };

struct Entry {
  Label label = 0;
  Part part = batch;
  Source source = both;
  int rank = 0;
};

}  // namespace

std::vector<Label> choose_layout(const LayoutQuestion& question) {
  const auto in_a = positions(question.a), in_b = positions(question.b);
  const auto in_partner = positions(question.partner), in_next = positions(question.next);
  std::vector<Entry> entries;
  std::array<std::array<double, 3>, 3> length;  // of the run of a piece, by part and source
  for (auto& part : length) part.fill(1);
  for (const Label label : question.result) {
    Entry entry;
    entry.label = label;
    const bool shared = in_partner.contains(label), stays = in_next.contains(label);
    entry.part = !shared ? free_labels : stays ? batch : contracted;
    entry.source = !in_b.contains(label) ? from_a : !in_a.contains(label) ? from_b : both;
    const auto& guide = entry.part == contracted ? in_partner
                        : stays                  ? in_next
                        : entry.source == from_b ? in_b
                                                 : in_a;
    entry.rank = guide.at(label);
    length[entry.part][entry.source] *=
        static_cast<double>(question.extents[static_cast<std::size_t>(label)]);
    entries.push_back(entry);
  }

  const auto longest = [&](Part part) {
    return *std::max_element(length[part].begin(), length[part].end());
  };
  const Part innermost = longest(free_labels) > longest(contracted) ? free_labels : contracted;
  const auto key = [&](const Entry& entry) {
    const int part = entry.part == batch ? 0 : entry.part == innermost ? 2 : 1;
    return std::tuple(part, length[entry.part][entry.source], entry.source, entry.rank,
                      entry.label);
  };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& x, const Entry& y) { return key(x) < key(y); });
  std::vector<Label> order;
  for (const Entry& entry : entries) order.push_back(entry.label);
  return order;
}

}  // namespace tt::core
