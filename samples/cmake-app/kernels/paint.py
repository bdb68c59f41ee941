"""Temperatures as colours."""

from transpiler import Dim, In, Out, cuda, f32, kernel, requires, u8


class H(Dim): ...


class W(Dim): ...


@kernel(domain=(W, H), block=(32, 8))
def paint(temperature: In[f32, H, W], hottest: f32, rgb: Out[u8, H, W, 3]):
    """From black over red and yellow to white, white at `hottest` degrees."""
    requires(hottest > 0.0)
    x, y = cuda.grid(2)
    if x < W and y < H:
        heat = min(max(temperature[y, x] / hottest, 0.0), 1.0) * 3.0
        rgb[y, x, 0] = u8(min(heat, 1.0) * 255.0)
        rgb[y, x, 1] = u8(min(max(heat - 1.0, 0.0), 1.0) * 255.0)
        rgb[y, x, 2] = u8(max(heat - 2.0, 0.0) * 255.0)
