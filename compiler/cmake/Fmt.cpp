// fmt's functions, defined once: what its package has in a shared library.
#include <fmt/format-inl.h>

template FMT_API auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref)
    -> fmt::detail::thousands_sep_result<char>;
template FMT_API auto fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref) -> char;
