// What each function of f32 is, by libmpfr, and the arguments at which to ask: shared by the tests of the expansions
// and those of the compiled code.
#pragma once

#include <bit>
#include <cstdint>
#include <mpfr.h>
#include <random>
#include <vector>

namespace kiln::functions::exact {

/// An mpfr number that frees itself; 100 bits leave enough after every cancellation below.
struct Real {
  mpfr_t value;
  Real() { mpfr_init2(value, 100); }
  explicit Real(double x) : Real() { mpfr_set_d(value, x, MPFR_RNDN); }
  Real(const Real &) = delete;
  ~Real() { mpfr_clear(value); }
  operator mpfr_ptr() { return value; }
  double toDouble() const { return mpfr_get_d(value, MPFR_RNDN); }
};

using MpfrFunction = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

template <MpfrFunction function> double library(float x) {
  Real in(x), out;
  function(out, in, MPFR_RNDN);
  return out.toDouble();
}

inline double exactRsqrt(float x) {
  if (x == 0) return 1 / static_cast<double>(x); // mpfr's has no sign there
  return library<mpfr_rec_sqrt>(x);
}

inline double exactSigmoid(float x) {
  Real e(-static_cast<double>(x)), y;
  mpfr_exp(e, e, MPFR_RNDN);
  mpfr_add_ui(e, e, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, e, MPFR_RNDN);
  return y.toDouble();
}

inline double exactSoftplus(float x) {
  if (x > 100) return x;
  Real e(x);
  mpfr_exp(e, e, MPFR_RNDN);
  mpfr_log1p(e, e, MPFR_RNDN);
  return e.toDouble();
}

inline double exactGelu(float x) {
  if (x < -100) return -0.0; // the limit, which arithmetic would call NaN at -inf
  Real half(0.5), root, in(x), y;
  mpfr_sqrt(root, half, MPFR_RNDN);
  mpfr_mul(y, in, root, MPFR_RNDN);
  mpfr_neg(y, y, MPFR_RNDN);
  mpfr_erfc(y, y, MPFR_RNDN);
  mpfr_mul(y, y, in, MPFR_RNDN);
  mpfr_div_2ui(y, y, 1, MPFR_RNDN);
  return y.toDouble();
}

inline double exactGeluTanh(float x) {
  if (x < -100) return -0.0;
  if (x > 100) return x;
  Real in(x), w, coefficient, scale;
  mpfr_set_str(coefficient, "0.044715", 10, MPFR_RNDN);
  mpfr_sqr(w, in, MPFR_RNDN);
  mpfr_mul(w, w, coefficient, MPFR_RNDN);
  mpfr_add_ui(w, w, 1, MPFR_RNDN);
  mpfr_mul(w, w, in, MPFR_RNDN);
  mpfr_const_pi(scale, MPFR_RNDN);
  mpfr_ui_div(scale, 8, scale, MPFR_RNDN);
  mpfr_sqrt(scale, scale, MPFR_RNDN); // 2 sqrt(2 / pi)
  mpfr_mul(w, w, scale, MPFR_RNDN);
  mpfr_neg(w, w, MPFR_RNDN);
  mpfr_exp(w, w, MPFR_RNDN);
  mpfr_add_ui(w, w, 1, MPFR_RNDN);
  mpfr_div(w, in, w, MPFR_RNDN);
  return w.toDouble();
}

/// The exact results, and points whose neighbourhoods are tried: branches, ends of ranges, the worst inputs known.
struct Reference {
  const char *op, *form;
  double (*exact)(float);
  std::vector<float> near;
};

inline const std::vector<Reference> &references() {
  static const std::vector<Reference> rows = {
      {"math.exp", "", library<mpfr_exp>, {-104, -103.27893f, -87.33655f, 88.722839f, 89, 23.959375f}},
      {"math.exp2", "", library<mpfr_exp2>, {-151, -150, -149, -126, 127.99999f, 128, 0.5f, -0.5f, -126.496498f}},
      {"math.expm1",
       "",
       library<mpfr_expm1>,
       {-20, 89, 88.722839f, 0x1p-25f, -0x1p-25f, 0.34657f, -0.34657f, 0.39120591f, 0.395921946f}},
      {"math.log", "", library<mpfr_log>, {1, 0x1p-126f, 0.6666667f, 1.3333334f, 0.63455075f, 0.63565737f}},
      {"math.log2", "", library<mpfr_log2>, {1, 0x1p-126f, 0.6666667f, 1.3333334f, 2, 0.5f, 1.37168825f}},
      {"math.log1p", "", library<mpfr_log1p>, {-1, -0.33333333f, 0.33333333f, 1e-8f, 3e38f, 0x1p24f, 0.333521813f}},
      {"math.tanh", "", library<mpfr_tanh>, {0.55f, -0.55f, 9.0109f, 10, 0.552722991f}},
      {"math.sinh", "", library<mpfr_sinh>, {1, -1, 89, 89.415985f, 90, 1.44043529f}},
      {"math.cosh", "", library<mpfr_cosh>, {0, 89, 89.415985f, 90, 3.85572743f}},
      {"math.erf", "", library<mpfr_erf>, {0.921875f, -0.921875f, 3.9004288f, 3.92f, 4, 0.947829425f}},
      {"math.erfc", "", library<mpfr_erfc>, {0, 2.3125f, 9.1942f, 10.054f, 10.0625f, -3.83f, 7.73342085f}},
      {"math.sin",
       "",
       library<mpfr_sin>,
       {1, 1.5707964f, 3.1415927f, 6.2831855f, 16367173.f * 0x1p72f, 3e38f, 16554459, 4.13350342e36f}},
      {"math.cos",
       "",
       library<mpfr_cos>,
       {1, 1.5707964f, 4.712389f, 16367173.f * 0x1p72f, 3e38f, 2.1893675e25f, 3.34606155e26f}},
      {"math.tan",
       "",
       library<mpfr_tan>,
       {1, 0.7853982f, 1.5707964f, 3.1415927f, 16367173.f * 0x1p72f, 3e38f, 1.23666863e30f}},
      {"math.asin", "", library<mpfr_asin>, {0.5f, -0.5f, 1, -1, 0.53352052f}},
      {"math.acos", "", library<mpfr_acos>, {0.5f, -0.5f, 1, -1, 0, -0.500427961f}},
      {"math.atan", "", library<mpfr_atan>, {1, -1, 1.07112741f}},
      {"math.rsqrt", "", exactRsqrt, {1, 2, 4, 1.00618589f}},
      {"graph.sigmoid", "", exactSigmoid, {0, -104, 104, 17, -87.3f, -3.46511626f, -0.342256725f}},
      {"graph.softplus", "", exactSoftplus, {0, -104, 104, 1.0986123f, -1.0986123f, -20, 100, -1.28143597f}},
      {"graph.gelu", "exact", exactGelu, {0, -14.2f, -14.5f, 3.375f, -5.5339069f, -1.42584646f, -0.00770152081f}},
      {"graph.gelu", "tanh", exactGeluTanh, {0, -10.3f, -11.5f, 11.5f, -10.0410233f, -1.82273698f}},
  };
  return rows;
}

/// Every exponent with random mantissas, both signs; the specials; and 64 floats on either side of `near`.
inline std::vector<float> points(const std::vector<float> &near) {
  std::mt19937 random(1);
  std::vector<float> all;
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (int k = 0; k < 160; ++k) {
      uint32_t mantissa = k == 0 ? 0 : k == 1 ? 0x7fffff : k == 2 ? 1 : random() & 0x7fffff;
      for (uint32_t sign : {0u, 0x80000000u}) all.push_back(std::bit_cast<float>(sign | exponent << 23 | mantissa));
    }
  for (float x : near)
    for (uint32_t k = 0; k < 128; ++k) all.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(x) + k - 64));
  return all;
}

} // namespace kiln::functions::exact
