// The searches for an order of contraction, one function each. path.hpp chooses among them; each
// takes a network and is a pure function of its arguments.
#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/network.hpp"

namespace tt::core {

/// From left to right.
Pairs left_order(const Network& network);

/// How a greedy search ranks pairs: elements of the result less `inputs_weight` times those of the
/// inputs, on a logarithmic scale, plus Gumbel noise times `temperature` (0: none).
struct GreedyParams {
  double inputs_weight = 1;
  double temperature = 0;
  std::uint64_t seed = 0;
};

/// The cheapest pair that shares a label, again and again; then outer products, smallest first.
/// Takes near-linear time: of a label that very many tensors share, each meets a bounded number of
/// the others. The ranking is that of opt_einsum (Smith and Gray, JOSS 2018), the noise that of
/// cotengra (Gray and Kourtis, Quantum 2021).
Pairs greedy_order(const Network& network, const GreedyParams& params = {});

/// The tensors with the fewest elements first: for parts that share no label.
Pairs outer_order(const std::vector<double>& elements);

/// Most tensors that exact_order takes.
inline constexpr int exact_limit = 16;

/// The best order of all, by dynamic programming over subsets (3^n splits). Without `outer` no step
/// is an outer product, and a network that does not hang together has no order.
enum class OuterProducts : std::uint8_t { allowed, never };
struct ScoredPairs {
  Pairs pairs;
  Score score;
};
std::optional<ScoredPairs> exact_order(const Network& network, const Objective& objective,
                                       OuterProducts outer);

/// The best order without outer products, by dynamic programming over connected subsets whose cost
/// stays below a cap, which grows up to `bound`, the score of a known order (Pfeifer, Haegeman and
/// Verstraete, Phys. Rev. E 2014). None after `work` pairs of subsets, above 256 tensors, or when
/// nothing is below.
std::optional<Pairs> connected_order(const Network& network, const Objective& objective,
                                     const Score& bound, std::int64_t work);

/// Work of a search in about nanoseconds, counted, not measured: the same order on every machine.
struct Effort {
  double left_ns = 0;
  void spend(double ns) { left_ns -= ns; }
};

/// Replaces subtrees of up to `leaves` leaves by their best order, the dearest steps first, until
/// nothing improves or the effort is spent.
Pairs refined_order(const Network& network, Pairs pairs, const Objective& objective, int leaves,
                    Effort& effort);

/// The same pairs one behind the other in depth-first order, at every node that input first which
/// needs less memory at its peak (Sethi and Ullman 1970): fewer intermediates live at a time.
Pairs depth_first_order(const Network& network, const Pairs& pairs);

}  // namespace tt::core
