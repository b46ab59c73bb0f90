// Empty: a target that owns precompiled headers must have a source.
