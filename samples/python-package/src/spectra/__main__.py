"""`python -m spectra`: a spectrum of two tones, on the GPU, or simulated where there is none."""

import numpy as np

from spectra import accumulate, power
from transpiler.testing import launch


def main() -> None:
    t = np.arange(4096) / 4096
    rng = np.random.default_rng(0)
    mean = np.zeros(t.size // 2, np.float32)
    for number in range(1, 9):
        signal = np.sin(2 * np.pi * 440 * t) + 0.5 * np.sin(2 * np.pi * 1000 * t) + rng.normal(size=t.size)
        spectrum = np.fft.rfft(signal)[:-1] / t.size
        re, im = spectrum.real.astype(np.float32), spectrum.imag.astype(np.float32)
        frame = np.empty_like(mean)
        launch(power, re, im, frame)
        launch(accumulate, 1.0 / number, frame, mean)
    print("loudest:", *np.sort(np.argsort(mean)[-2:]))


if __name__ == "__main__":
    main()
