#!/usr/bin/env python3
"""Fits the polynomials of the functions and prints Polynomials.h, or HalfPolynomials.h with `--half`.

Each row below is a minimax fit (Lawson's iteration on a Chebyshev grid; samples have 40 digits) of a *remainder*,
weighted so that the printed error is relative to the function itself: log2 of it, so -26 means a quarter ulp of f32 at
most. Coefficients are rounded to f32 one by one, lowest power first, and the others are fitted again after each
rounding.

Those of the 16-bit functions, computed in f32, are as short as their 8 or 11 bits allow.

Needs mpmath and numpy. Usage: fit.py > Polynomials.h; fit.py --half > HalfPolynomials.h
"""
import struct
import sys

import numpy as np
from mpmath import atan, asin, cos, erf, erfc, exp, expm1, log, log1p, mp, mpf, nstr, pi, sin, sinh, sqrt, tanh

mp.dps = 40


def f32(x):
    """The nearest f32, exact as an mpf."""
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def minimax(rest, ws, xs, powers, iterations=400):
    """Coefficients of x^powers that nearly minimise max |ws * (polynomial - rest)|: Lawson's reweighted least squares."""
    basis = np.array([[float(w * x**p) for p in powers] for x, w in zip(xs, ws)])
    scale = np.abs(basis).max(axis=0)
    target = np.array([float(w * y) for y, w in zip(rest, ws)])
    weights = np.full(len(xs), 1 / len(xs))
    best, best_error = None, np.inf
    for _ in range(iterations):
        root = np.sqrt(weights)
        c = np.linalg.lstsq(basis / scale * root[:, None], target * root, rcond=None)[0] / scale
        error = np.abs(basis @ c - target)
        if error.max() < best_error:
            best, best_error = c, error.max()
        weights *= error + 1e-4 * error.max()
        weights /= weights.sum()
    return best


def short(text):
    """A hex float without the zeros that f32 never uses."""
    mantissa, exponent = text.split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent


def fit(name, about, function, weight, low, high, count, points=300):
    """Prints one row: `count` rounded coefficients, lowest power first, and the largest weighted error."""
    powers = range(count)
    low, high = mpf(low), mpf(high)
    xs = [(low + high) / 2 - (high - low) / 2 * cos(pi * (i + mpf(0.5)) / points) for i in range(points)]
    rest, ws = [function(x) for x in xs], [weight(x) for x in xs]
    left, rounded = list(powers), []
    while left:
        c = f32(minimax(rest, ws, xs, left)[0])
        rounded.append(c)
        rest = [y - c * x ** left[0] for x, y in zip(xs, rest)]
        left = left[1:]
    error = max(abs(y * w) for y, w in zip(rest, ws))
    print(f"/// {about} on [{nstr(low, 4)}, {nstr(high, 4)}]: error 2^{nstr(log(error, 2), 4)}.")
    values = [short(float(c).hex()) + "f" for c in rounded]
    lines = [", ".join(values[i : i + 5]) for i in range(0, len(values), 5)]
    print(f"inline constexpr float {name}[] = {{\n    " + ",\n    ".join(lines) + "};\n")


LOG2E = 1 / log(mpf(2))
LOG2E_HIGH = f32(LOG2E)


def odd(function):
    """(function(x) / x - 1) / x^2 as a function of s = x^2, and the weight that makes its error relative."""
    value = lambda s: (function(sqrt(s)) / sqrt(s) - 1) / s
    return value, lambda s: s * sqrt(s) / function(sqrt(s))


def tail(g, c, limit):
    """g over [0, limit] as a function of q = (x - c) / (x + c), its weight and q's range."""
    value = lambda q: g(c * (1 + q) / (1 - q))
    return value, lambda q: 1 / value(q), -1, (mpf(limit) - c) / (mpf(limit) + c)


SMALL = "1e-10"  # stands for 0, where the quotients above are not defined
HALF = "0.50001"
THIRD = mpf(1) / 3
QUARTER = mpf(1) / 4 - mpf(SMALL)

ROWS = [
    ("exp2Poly", "(2^x - 1) / x", lambda x: expm1(x / LOG2E) / x, lambda x: x * 2**-x, "-" + HALF, HALF, 6),
    ("expm1Poly", "(e^x - 1 - x) / x^2", lambda x: (expm1(x) - x) / x**2, lambda x: x**2 / expm1(x), "-0.3467", "0.3467", 5),
    ("log1pPoly", "(log1p(x) - x) / x^2", lambda x: (log1p(x) - x) / x**2, lambda x: x**2 / log1p(x), -THIRD, THIRD, 9),
    ("log2Poly", "log2(1 + x) / x - f32(log2 e)", lambda x: log1p(x) * LOG2E / x - LOG2E_HIGH,
     lambda x: x / (log1p(x) * LOG2E), -THIRD, THIRD, 10),
    ("powPoly", "(log1p(x) - x + x^2 / 2) / x^3", lambda x: (log1p(x) - x + x**2 / 2) / x**3,
     lambda x: x**3 / log1p(x), "-0.1407", "0.1251", 6),
    ("tanhPoly", "(tanh(x) - x) / x^3 in s = x^2", *odd(tanh), SMALL, "0.3025", 5),
    ("sinhPoly", "(sinh(x) - x) / x^3 in s = x^2", *odd(sinh), SMALL, 1, 4),
    ("erfPoly", "(erf(x) - x) / x in s = x^2", lambda s: erf(sqrt(s)) / sqrt(s) - 1, lambda s: sqrt(s) / erf(sqrt(s)),
     SMALL, "0.85", 6),
    ("log2ErfcPoly", "log2(erfc(x)), relative to erf", lambda x: log(erfc(x), 2),
     lambda x: erfc(x) * log(2) / erf(x), "0.92", 4, 7),
    ("erfcPoly", "(x + 37/16) e^(x^2) erfc(x) in q = (x - 37/16) / (x + 37/16)",
     *tail(lambda x: (x + mpf(37) / 16) * exp(x * x) * erfc(x), mpf(37) / 16, "10.07"), 11),
    ("normalPoly", "(x + 27/8) e^(x^2 / 2) Phi(-x) in q = (x - 27/8) / (x + 27/8)",
     *tail(lambda x: (x + mpf(27) / 8) * exp(x * x / 2) * erfc(x / sqrt(mpf(2))) / 2, mpf(27) / 8, "14.5"), 10),
    ("sinPoly", "(sin(x) - x) / x^3 in s = x^2", *odd(sin), SMALL, 1, 4),
    ("cosPoly", "(cos(x) - 1 + x^2 / 2) / x^4 in s = x^2", lambda s: (cos(sqrt(s)) - 1 + s / 2) / s**2,
     lambda s: s**2 / cos(sqrt(s)), "1e-6", 1, 3),
    ("atanPoly", "(atan(x) - x) / x^3 in s = x^2", *odd(atan), SMALL, 1, 8),
    ("asinPoly", "(asin(x) - x) / x^3 in s = x^2", *odd(asin), SMALL, "0.25", 5),
]

def angle(c):
    """The half turns r in [0, 1/2] with c = 1/4 - r^2."""
    return sqrt(mpf(1) / 4 - c)


def over_x(function, high, count):
    """function(x) / x as a function of s = x^2, its weight and s's range."""
    value = lambda s: function(sqrt(s)) / sqrt(s)
    return value, lambda s: 1 / value(s), SMALL, mpf(high) ** 2, count


def normal_tail(c, limit, count):
    """(x + c) e^(x^2 / 2) Phi(-x) over [0, limit] as a function of t = x / (x + c), its weight and t's range."""
    tail = lambda x: (x + c) * exp(x * x / 2) * erfc(x / sqrt(mpf(2))) / 2
    value = lambda t: tail(c * t / (1 - t))
    return value, lambda t: 1 / value(t), SMALL, mpf(limit) / (mpf(limit) + c), count


def log_over_x(count):
    return lambda x: log1p(x) / x, lambda x: x / log1p(x), -THIRD, THIRD, count


HALF_ROWS = []
for half, sine, cosine, error_function, gauss, logarithm, hyperbolic in [
    ("bf16", 4, 3, ("2.3", 8), (mpf(3), "13.6", 6), 6, ("0.125", 2)),
    ("f16", 4, 4, ("2.7", 10), (mpf("3.5"), "5.8", 6), 8, ("0.25", 3)),
]:
    HALF_ROWS += [
        (half + "Sin", "sin(r pi) / r in c = 1/4 - r^2", lambda c: sin(pi * angle(c)) / angle(c),
         lambda c: angle(c) / sin(pi * angle(c)), "-0.0001", QUARTER, sine),
        (half + "Cos", "cos(r pi) / c in c = 1/4 - r^2", lambda c: cos(pi * angle(c)) / c,
         lambda c: c / cos(pi * angle(c)), "-0.0001", QUARTER, cosine),
        (half + "Erf", "erf(x) / x in s = x^2", *over_x(erf, *error_function)),
        (half + "Tanh", "tanh(x) / x in s = x^2", *over_x(tanh, *hyperbolic)),
        (half + "Normal", f"(x + {nstr(gauss[0])}) e^(x^2 / 2) Phi(-x) in t = x / (x + {nstr(gauss[0])})",
         *normal_tail(*gauss)),
        (half + "Log", "log1p(x) / x", *log_over_x(logarithm)),
    ]

HEADER = """// Coefficients of the {} functions' polynomials, lowest power first. Written by fit.py; do not edit by hand.
//
// Each row says what it approximates and where; errors are relative to the function that the row serves.
// clang-format off
#pragma once

namespace kiln::functions {{
"""

if __name__ == "__main__":
    half = "--half" in sys.argv
    print(HEADER.format("16-bit" if half else "f32"))
    for row in HALF_ROWS if half else ROWS:
        fit(*row)
    print("} // namespace kiln::functions")
