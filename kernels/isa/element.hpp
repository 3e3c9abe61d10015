// Elements as the micro kernels see them: a complex one is two reals, real part first.
#pragma once

#include <complex>

namespace tt::kernels {

/// The real type under T and the number of planes of a packed panel.
template <class T>
struct Element {
  using Real = T;
  static constexpr int planes = 1;
};
template <class R>
struct Element<std::complex<R>> {
  using Real = R;
  static constexpr int planes = 2;
};
template <class T>
using Real = typename Element<T>::Real;

/// std::complex<R>* as R* (the standard allows it), a real pointer as itself.
template <class T>
const Real<T>* reals(const T* p) {
  return reinterpret_cast<const Real<T>*>(p);
}
template <class T>
Real<T>* reals(T* p) {
  return reinterpret_cast<Real<T>*>(p);
}

}  // namespace tt::kernels
