"""Types of the base class of the registry's kernels."""

from ._kernel import Kernel

WIDTHS: tuple[str, ...]

class Registered(Kernel):
    """Base class of the kernels and wrappers of the registry."""
