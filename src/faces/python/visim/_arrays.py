"""Arrays as surfaces, registers and arguments, and back."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

#: Element types of declarations as numpy has them; numpy has no `bf`, whose bits are given.
TYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(own).newbyteorder("<")
    for name, own in {
        "b": "i1", "ub": "u1", "w": "i2", "uw": "u2", "d": "i4", "ud": "u4", "q": "i8", "uq": "u8",
        "hf": "f2", "f": "f4", "df": "f8", "bf": "u2",
    }.items()
}  # fmt: skip

#: Number types of formats, by the kind and size of an array's elements.
_NUMBERS = {
    ("u", 1): "UNORM", ("u", 2): "UNORM", ("u", 4): "UINT", ("i", 1): "SNORM", ("i", 2): "SNORM", ("i", 4): "SINT",
    ("f", 2): "FLOAT", ("f", 4): "FLOAT",
}  # fmt: skip

#: Kinds of array elements by the number type of a format.
_KINDS = {
    "UNORM": "u", "UINT": "u", "SNORM": "i", "SINT": "i", "FLOAT": "f", "USCALED": "u", "SSCALED": "i", "SRGB": "u",
}  # fmt: skip


@dataclass(frozen=True)
class Surface:
    """Memory with a format and a shape, to be bound to a surface variable (`T6`) or a binding table index (`6`).

    `texels` is an array, or None for zeros or for what `words` say. Its shape is `(height, width)` or `(height, width,
    channels)` with one, two or four channels in the order of the format; `(elements,)` or `(elements, 1)` is a buffer.
    The format follows from its dtype unless `words` name one: `uint8` and `uint16` are UNORM, `int8` and `int16`
    SNORM, `uint32` UINT, `int32` SINT, `float16` and `float32` FLOAT.

    `words` are those of the directive SURFACE: a format (`"R8_UINT"`), a format with a size, keys and a formula
    (`"R32_FLOAT 16x16 tiling=y, float(x,y) = x"`), or a file (`"photo.png as R8G8B8A8_UNORM"`). With a size in them,
    `texels` may have any shape: its bytes are rows from the top without padding, planes and slices one after the other.
    """

    texels: ArrayLike | None = None
    words: str = ""


@dataclass(frozen=True)
class Sampler:
    """A sampler state, in the words of the directive SAMPLER: `"filter=linear address=clamp"`, `"avs …"`."""

    words: str


@dataclass(frozen=True)
class Local:
    """Shared local memory for an argument of a compiled kernel, in bytes."""

    bytes: int


def flat(values: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[np.uint8]:
    """The bytes of an array, little-endian, last index first; without a copy where it lies so in memory."""
    array = np.ascontiguousarray(values, dtype)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"visim takes arrays of numbers, not of {array.dtype}")
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8)


def surface_words(surface: Surface) -> tuple[str, NDArray[np.uint8] | None]:
    """A surface as the words of the directive, and its rows."""
    words = surface.words.strip()
    if surface.texels is None:
        if not words:
            raise ValueError("a surface has texels, or words that say what it is")
        return words, None
    texels = np.asarray(surface.texels)
    rows = flat(texels)
    if re.search(r"\b\d+x\d+", words):
        return words, rows
    given, _, keys = words.partition(" ")
    if "=" in given:
        given, keys = "", words
    buffer = texels.ndim < 2
    if texels.ndim not in (0, 1, 2, 3):
        raise ValueError(f"texels of shape {texels.shape}: name the size in the words, such as 'R8_UNORM 64x32 depth=4'")
    size = f"{texels.size}x1 kind=buffer" if buffer else f"{texels.shape[1]}x{texels.shape[0]}"
    channels = texels.shape[2] if texels.ndim == 3 else 1
    return f"{given or _format(texels.dtype, channels)} {size} {keys}".strip(), rows


def _format(dtype: np.dtype[Any], channels: int) -> str:
    number = _NUMBERS.get((dtype.kind, dtype.itemsize))
    if number is None:
        raise TypeError(f"no format has elements of {dtype}: name one, such as visim.Surface(texels, 'R32_UINT')")
    if channels not in (1, 2, 4):
        raise ValueError(f"no usual format has {channels} channels: 1, 2 or 4, or name one")
    bits = 8 * dtype.itemsize
    return "".join(f"{letter}{bits}" for letter in "RGBA"[:channels]) + f"_{number}"


def texel_type(name: str) -> tuple[np.dtype[Any], int]:
    """The dtype and number of the channels of a format; single bytes where its channels are no numbers of numpy."""
    channels, _, number = name.partition("_")
    bits = [int(n) for n in re.findall(r"[A-Z](\d+)", channels)]
    whole = re.fullmatch(r"([A-Z]\d+)+", channels)
    kind = _KINDS.get(number)
    sizes = {"f": (16, 32, 64)}.get(kind or "", (8, 16, 32, 64))
    if kind and whole and len(set(bits)) == 1 and bits[0] in sizes:
        return np.dtype(f"<{kind}{bits[0] // 8}"), len(bits)
    if whole and sum(bits) in (8, 16, 32):
        return np.dtype(f"<u{sum(bits) // 8}"), 1
    return np.dtype("u1"), 0


def shaped(rows: NDArray[np.uint8], name: str, size: tuple[int, int]) -> NDArray[Any]:
    """Rows of texels as an array: `(height, width)`, `(height, width, channels)`, slices or planes in front of them."""
    dtype, channels = texel_type(name)
    width, height = size
    texels = width * height * max(channels, 1) * dtype.itemsize
    if not channels or not texels or len(rows) % texels:
        return rows
    shape = [n for n in (len(rows) // texels, height) if n > 1] + [width] + [n for n in (channels,) if n > 1]
    if height == 1 and len(rows) // texels == 1:
        return rows.view(dtype).reshape([width] + shape[1:])
    assert math.prod(shape) * dtype.itemsize == len(rows)
    return rows.view(dtype).reshape(shape)
