// Coefficients of the 16-bit functions' polynomials, lowest power first. Written by fit.py; do not edit by hand.
//
// Each row says what it approximates and where; errors are relative to the function that the row serves.
// clang-format off
#pragma once

namespace kiln::functions {

/// sin(r pi) / r in c = 1/4 - r^2 on [-0.0001, 0.25]: error 2^-19.98.
inline constexpr float bf16Sin[] = {
    0x1.ffffep+0f, 0x1.00043ap+2f, 0x1.0ffc46p+1f, 0x1.1dca6ap-1f};

/// cos(r pi) / c in c = 1/4 - r^2 on [-0.0001, 0.25]: error 2^-15.03.
inline constexpr float bf16Cos[] = {
    0x1.9222c2p+1f, 0x1.9136p+1f, 0x1.317a8ep+0f};

/// erf(x) / x in s = x^2 on [1.0e-10, 5.29]: error 2^-17.57.
inline constexpr float bf16Erf[] = {
    0x1.20dd14p+0f, -0x1.81056ep-2f, 0x1.cc2626p-4f, -0x1.abc2dcp-6f, 0x1.2f8a48p-8f,
    -0x1.34296ap-11f, 0x1.86616ep-15f, -0x1.c5789cp-20f};

/// tanh(x) / x in s = x^2 on [1.0e-10, 0.01563]: error 2^-17.91.
inline constexpr float bf16Tanh[] = {
    0x1.ffff78p-1f, -0x1.5335f2p-2f};

/// (x + 3.0) e^(x^2 / 2) Phi(-x) in t = x / (x + 3.0) on [1.0e-10, 0.8193]: error 2^-15.83.
inline constexpr float bf16Normal[] = {
    0x1.7ffe5p+0f, -0x1.0b53bp+1f, 0x1.0af418p+0f, 0x1.590fbcp-2f, -0x1.1969b4p-1f,
    0x1.40c2dcp-3f};

/// log1p(x) / x on [-0.3333, 0.3333]: error 2^-17.08.
inline constexpr float bf16Log[] = {
    0x1.000078p+0f, -0x1.0002a4p-1f, 0x1.542a44p-2f, -0x1.fcecb2p-3f, 0x1.cfcb52p-3f,
    -0x1.8c43f2p-3f};

/// sin(r pi) / r in c = 1/4 - r^2 on [-0.0001, 0.25]: error 2^-19.98.
inline constexpr float f16Sin[] = {
    0x1.ffffep+0f, 0x1.00043ap+2f, 0x1.0ffc46p+1f, 0x1.1dca6ap-1f};

/// cos(r pi) / c in c = 1/4 - r^2 on [-0.0001, 0.25]: error 2^-22.19.
inline constexpr float f16Cos[] = {
    0x1.921fbp+1f, 0x1.92228ep+1f, 0x1.1d1a06p+0f, 0x1.bb553ap-3f};

/// erf(x) / x in s = x^2 on [1.0e-10, 7.29]: error 2^-19.94.
inline constexpr float f16Erf[] = {
    0x1.20dd64p+0f, -0x1.81206cp-2f, 0x1.cdb7dep-4f, -0x1.b4eec6p-6f, 0x1.4a886p-8f,
    -0x1.8cc32cp-11f, 0x1.6a6022p-14f, -0x1.d1b6fep-18f, 0x1.70af92p-22f, -0x1.0ae5eep-27f};

/// tanh(x) / x in s = x^2 on [1.0e-10, 0.0625]: error 2^-21.19.
inline constexpr float f16Tanh[] = {
    0x1.fffff2p-1f, -0x1.553656p-2f, 0x1.06d4d6p-3f};

/// (x + 3.5) e^(x^2 / 2) Phi(-x) in t = x / (x + 3.5) on [1.0e-10, 0.6237]: error 2^-19.16.
inline constexpr float f16Normal[] = {
    0x1.c00032p+0f, -0x1.9190c6p+1f, 0x1.5923ep+1f, -0x1.6c354p-1f, -0x1.093814p-1f,
    0x1.4eed9ap-2f};

/// log1p(x) / x on [-0.3333, 0.3333]: error 2^-22.42.
inline constexpr float f16Log[] = {
    0x1.fffffap-1f, -0x1.fffffap-2f, 0x1.5561fep-2f, -0x1.000986p-2f, 0x1.955f84p-3f,
    -0x1.5196f6p-3f, 0x1.5e6a18p-3f, -0x1.34be8cp-3f};

} // namespace kiln::functions
