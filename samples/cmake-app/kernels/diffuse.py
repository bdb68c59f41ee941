"""One step of the heat equation on a plate."""

from material import DIFFUSION, EDGE

from transpiler import Dim, In, Out, cuda, f32, kernel


class H(Dim): ...


class W(Dim): ...


@kernel(domain=(W, H), block=(32, 8))
def diffuse(now: In[f32, H, W], later: Out[f32, H, W]):
    """later = now + DIFFUSION * laplacian(now); temperatures in degrees, the rim stays as it is."""
    x, y = cuda.grid(2)
    if x < W and y < H:
        t = now[y, x]
        if x >= EDGE and x < W - EDGE and y >= EDGE and y < H - EDGE:
            t += DIFFUSION * (now[y, x - 1] + now[y, x + 1] + now[y - 1, x] + now[y + 1, x] - 4.0 * t)
        later[y, x] = t
