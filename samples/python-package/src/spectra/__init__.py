"""Power spectra: magnitudes of what an FFT gives, and their running mean over many frames."""

from spectra.kernels import accumulate, power
from spectra.settings import FLOOR

__all__ = ["FLOOR", "accumulate", "power"]
