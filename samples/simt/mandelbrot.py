"""The Mandelbrot set, written to mandelbrot.png."""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

from transpiler import Dim, Out, cuda, device, f32, i32, kernel, u8
from transpiler.testing import check, launch


class H(Dim): ...


class W(Dim): ...


LIMIT = 64  # iterations


@device
def escape(cx: f32, cy: f32) -> i32:
    """How many steps z = z*z + c takes to leave the circle of radius 2, LIMIT if it stays."""
    x, y = 0.0, 0.0
    for step in range(LIMIT):
        if x * x + y * y > 4.0:
            return step
        x, y = x * x - y * y + cx, 2.0 * x * y + cy
    return LIMIT


@kernel(domain=(W, H), block=(32, 8))
def mandelbrot(image: Out[u8, H, W], left: f32, top: f32, pixel: f32):
    """One grey value a pixel: black inside the set."""
    px, py = cuda.grid(2)
    if px < W and py < H:
        steps = escape(left + f32(px) * pixel, top - f32(py) * pixel)
        image[py, px] = u8(255 - steps * 255 // LIMIT)


def write_png(path: Path, image: np.ndarray) -> None:
    """An 8-bit grey PNG (RFC 2083)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def reference(shape: tuple[int, int], left: float, top: float, pixel: float) -> np.ndarray:
    height, width = shape
    one = np.float32
    cx = one(left) + np.arange(width).astype(np.float32) * one(pixel)
    cy = one(top) - np.arange(height).astype(np.float32) * one(pixel)
    c = np.broadcast_to(cx, shape).copy(), np.broadcast_to(cy[:, None], shape).copy()
    x, y = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    steps = np.full(shape, LIMIT)
    for step in range(LIMIT):
        with np.errstate(over="ignore", invalid="ignore"):
            steps[(x * x + y * y > 4) & (steps == LIMIT)] = step
            x, y = x * x - y * y + c[0], 2 * x * y + c[1]
    return (255 - steps * 255 // LIMIT).astype(np.uint8)


def main() -> None:
    image = np.empty((120, 180), dtype=np.uint8)
    launch(mandelbrot, image, -2.2, 1.0, 1 / 60)
    # A fused multiply-add rounds once where NumPy rounds twice: a few pixels on the rim may differ.
    differing = np.mean(image != reference(image.shape, -2.2, 1.0, 1 / 60))
    check(np.array([differing < 0.01]), [True])
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "mandelbrot.png")
    write_png(path, image)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
