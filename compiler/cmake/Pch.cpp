// The precompiled header needs one translation unit to belong to.
