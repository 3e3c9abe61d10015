#include "kernels/strided/strided.hpp"

#include "kernels/strided/streams.hpp"

namespace tt::kernels {

template <class T>
bool stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
            const Stream<T>& s) {
  if (exec.dry() || length(s.out) == 0) return true;
  return s.in.empty() ? map_stream(exec, decision, isa, s) : sum_stream(exec, decision, isa, s);
}

#define TT_INSTANTIATE(T)                                                            \
  template bool stream(const core::Exec&, const core::Decision&, const KernelTable&, \
                       const Stream<T>&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
