// Coefficients of the f32 functions' polynomials, lowest power first. Written by fit.py; do not edit by hand.
//
// Each row says what it approximates and where; errors are relative to the function that the row serves.
// clang-format off
#pragma once

namespace kiln::functions {

/// (2^x - 1) / x on [-0.5, 0.5]: error 2^-28.32.
inline constexpr float exp2Poly[] = {
    0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6af7cp-5f, 0x1.3b2dep-7f, 0x1.5f083p-10f,
    0x1.416b52p-13f};

/// (e^x - 1 - x) / x^2 on [-0.3467, 0.3467]: error 2^-26.13.
inline constexpr float expm1Poly[] = {
    0x1.fffffep-2f, 0x1.5554b4p-3f, 0x1.5556f2p-5f, 0x1.122544p-7f, 0x1.6b9c6cp-10f};

/// (log1p(x) - x) / x^2 on [-0.3333, 0.3333]: error 2^-27.68.
inline constexpr float log1pPoly[] = {
    -0x1p-1f, 0x1.555506p-2f, -0x1.fffefcp-3f, 0x1.99d044p-3f, -0x1.559c44p-3f,
    0x1.1ed662p-3f, -0x1.f332f4p-4f, 0x1.1e678cp-3f, -0x1.07c8a8p-3f};

/// log2(1 + x) / x - f32(log2 e) on [-0.3333, 0.3333]: error 2^-27.83.
inline constexpr float log2Poly[] = {
    0x1.ac8478p-26f, -0x1.715478p-1f, 0x1.ec7p-2f, -0x1.7152d8p-2f, 0x1.27a3b6p-2f,
    -0x1.ecff6ep-3f, 0x1.9d4be6p-3f, -0x1.669a78p-3f, 0x1.9f4e9ap-3f, -0x1.81901p-3f};

/// (log1p(x) - x + x^2 / 2) / x^3 on [-0.1407, 0.1251]: error 2^-32.84.
inline constexpr float powPoly[] = {
    0x1.55555cp-2f, -0x1.000036p-2f, 0x1.9986fap-3f, -0x1.54f868p-3f, 0x1.2bfe54p-3f,
    -0x1.14365ap-3f};

/// (tanh(x) - x) / x^3 in s = x^2 on [1.0e-10, 0.3025]: error 2^-29.71.
inline constexpr float tanhPoly[] = {
    -0x1.55554ap-2f, 0x1.110ceep-3f, -0x1.b91e7ep-5f, 0x1.58e518p-6f, -0x1.9921a2p-8f};

/// (sinh(x) - x) / x^3 in s = x^2 on [1.0e-10, 1.0]: error 2^-31.62.
inline constexpr float sinhPoly[] = {
    0x1.555556p-3f, 0x1.1110ep-7f, 0x1.a022bcp-13f, 0x1.756c1ep-19f};

/// (erf(x) - x) / x in s = x^2 on [1.0e-10, 0.85]: error 2^-25.92.
inline constexpr float erfPoly[] = {
    0x1.06eba6p-3f, -0x1.8126e8p-2f, 0x1.ce1ab4p-4f, -0x1.b68e62p-6f, 0x1.4749dap-8f,
    -0x1.3a479ep-11f};

/// log2(erfc(x)), relative to erf on [0.92, 4.0]: error 2^-29.26.
inline constexpr float log2ErfcPoly[] = {
    -0x1.28161ep-12f, -0x1.a07bfap+0f, -0x1.d6a946p-1f, -0x1.331452p-3f, 0x1.06b024p-5f,
    -0x1.1fba1cp-8f, 0x1.28669ap-12f};

/// (x + 37/16) e^(x^2) erfc(x) in q = (x - 37/16) / (x + 37/16) on [-1.0, 0.6265]: error 2^-28.7.
inline constexpr float erfcPoly[] = {
    0x1.0b3444p+0f, -0x1.8845bp-1f, 0x1.92798cp-2f, -0x1.e522cep-4f, 0x1.a38716p-9f,
    0x1.804fccp-7f, -0x1.f50f6cp-10f, -0x1.899a64p-10f, 0x1.ee996ap-13f, 0x1.e61e4cp-13f,
    0x1.c97f56p-16f};

/// (x + 27/8) e^(x^2 / 2) Phi(-x) in q = (x - 27/8) / (x + 27/8) on [-1.0, 0.6224]: error 2^-27.71.
inline constexpr float normalPoly[] = {
    0x1.7b6eep-1f, -0x1.1b21ccp-1f, 0x1.2e76fep-2f, -0x1.92fb6ap-4f, 0x1.1dbed8p-7f,
    0x1.006648p-7f, -0x1.277fbp-9f, -0x1.bdc90ap-11f, 0x1.482382p-12f, 0x1.1f14c2p-13f};

/// (sin(x) - x) / x^3 in s = x^2 on [1.0e-10, 1.0]: error 2^-31.48.
inline constexpr float sinPoly[] = {
    -0x1.555556p-3f, 0x1.11113ep-7f, -0x1.a01ffep-13f, 0x1.6de9f6p-19f};

/// (cos(x) - 1 + x^2 / 2) / x^4 in s = x^2 on [1.0e-6, 1.0]: error 2^-29.31.
inline constexpr float cosPoly[] = {
    0x1.555524p-5f, -0x1.6bfaap-10f, 0x1.960924p-16f};

/// (atan(x) - x) / x^3 in s = x^2 on [1.0e-10, 1.0]: error 2^-25.83.
inline constexpr float atanPoly[] = {
    -0x1.5554dcp-2f, 0x1.9978ecp-3f, -0x1.230a94p-3f, 0x1.b4debap-4f, -0x1.35511ap-4f,
    0x1.61efd4p-5f, -0x1.0c1a0cp-6f, 0x1.7eacd4p-9f};

/// (asin(x) - x) / x^3 in s = x^2 on [1.0e-10, 0.25]: error 2^-27.62.
inline constexpr float asinPoly[] = {
    0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bb8p-5f, 0x1.8c3e5p-6f, 0x1.595c6p-5f};

} // namespace kiln::functions
