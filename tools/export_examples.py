"""Exports the example models of examples/ from JAX.

For each model: NAME.mlir (StableHLO text with locations), NAME.inputs.npz (arguments by name) and
NAME.expected.npz (what XLA:CPU computes, keys output0, output1, ...).

    python3 -m venv venv && venv/bin/pip install -r tools/requirements.txt
    venv/bin/python tools/export_examples.py [NAME ...]

Weights are arguments. All floating-point arguments hold values that bfloat16 represents, so that the archives
compress well and the bf16 and f32 variants of a model start from the same numbers. The output is reproducible:
values come from a seeded generator and archive members carry no dates.
"""

import argparse
import inspect
import io
import json
import os
import pathlib
import zipfile

# Rounding after every bf16 operation, as the program text says, instead of fusing in f32.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_allow_excess_precision=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import flax.linen as nn
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict
from jax import lax

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Locations name files relative to the repository or to the package root, never this machine.
jax.config.update("jax_hlo_source_file_canonicalization_regex", rf"({ROOT}/|.*/site-packages/)")
jax.config.update("jax_include_full_tracebacks_in_locations", False)
jax.config.update("jax_default_matmul_precision", None)

EXAMPLES = {}


def example(fn):
    EXAMPLES[fn.__name__] = fn
    return fn


class Values:
    """Seeded values that bfloat16 represents."""

    def __init__(self, seed, dtype=np.float32):
        self.rng = np.random.default_rng(seed)
        self.dtype = dtype

    def normal(self, shape, scale=1.0, mean=0.0):
        v = mean + scale * self.rng.standard_normal(shape)
        return v.astype(ml_dtypes.bfloat16).astype(self.dtype)

    def weight(self, shape, fan_in):
        return self.normal(shape, 1.0 / np.sqrt(fan_in))

    def ints(self, shape, limit):
        return self.rng.integers(0, limit, shape, dtype=np.int32)


# --- models ---------------------------------------------------------------------------------------------------


def dense(x, w, b):
    return x @ w + b


def layer_norm(x, scale, bias, eps=1e-5):
    x32 = x.astype(jnp.float32)
    mean = jnp.mean(x32, axis=-1, keepdims=True)
    var = jnp.mean(jnp.square(x32 - mean), axis=-1, keepdims=True)
    y = (x32 - mean) * lax.rsqrt(var + eps)
    return (y * scale.astype(jnp.float32) + bias.astype(jnp.float32)).astype(x.dtype)


def gelu_erf(x):
    return 0.5 * x * (1.0 + lax.erf(x * np.float32(np.sqrt(0.5))))


@example
def mlp():
    v = Values(1)
    args = {"x": v.normal((64, 784))}
    for i, (m, n) in enumerate([(784, 256), (256, 128), (128, 10)]):
        args[f"w{i}"] = v.weight((m, n), m)
        args[f"b{i}"] = v.normal((n,), 0.1)

    def main(x, w0, b0, w1, b1, w2, b2):
        h = gelu_erf(dense(x, w0, b0))
        h = gelu_erf(dense(h, w1, b1))
        return jax.nn.log_softmax(dense(h, w2, b2))

    return main, args, ()


class LeNet(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(6, (5, 5), padding="SAME", name="conv0")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = nn.relu(nn.Conv(16, (5, 5), padding="VALID", name="conv1")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(120, name="fc0")(x))
        x = nn.relu(nn.Dense(84, name="fc1")(x))
        return nn.Dense(10, name="fc2")(x)


class Attention(nn.Module):
    heads: int

    @nn.compact
    def __call__(self, x):
        b, s, d = x.shape
        qkv = nn.Dense(3 * d, name="qkv")(x).reshape(b, s, 3, self.heads, d // self.heads)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32(np.sqrt(d // self.heads))
        out = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        return nn.Dense(d, name="proj")(out.reshape(b, s, d))


class ViT(nn.Module):
    width: int = 128
    depth: int = 4
    heads: int = 4
    patch: int = 4
    classes: int = 10

    @nn.compact
    def __call__(self, images):
        x = nn.Conv(self.width, (self.patch, self.patch), strides=(self.patch, self.patch), padding="VALID",
                    name="patch")(images)
        x = x.reshape(x.shape[0], -1, self.width)
        cls = self.param("cls", nn.initializers.zeros, (1, 1, self.width))
        x = jnp.concatenate([jnp.broadcast_to(cls, (x.shape[0], 1, self.width)), x], axis=1)
        x = x + self.param("pos", nn.initializers.zeros, (1, x.shape[1], self.width))
        for i in range(self.depth):
            x = x + Attention(self.heads, name=f"block{i}_attn")(nn.LayerNorm(name=f"block{i}_ln0")(x))
            h = nn.Dense(3 * self.width, name=f"block{i}_fc0")(nn.LayerNorm(name=f"block{i}_ln1")(x))
            x = x + nn.Dense(self.width, name=f"block{i}_fc1")(nn.gelu(h))
        return nn.Dense(self.classes, name="head")(nn.LayerNorm(name="ln")(x[:, 0]))


def from_flax(module, inputs, v):
    """Arguments and a flat main for a flax module; parameters become arguments named after their path."""
    shapes = jax.eval_shape(module.init, jax.random.key(0), *inputs.values())
    flat = flatten_dict(shapes["params"])
    args = dict(inputs)
    for path, s in flat.items():
        name, kind = "_".join(path), path[-1]
        if kind == "kernel":
            args[name] = v.weight(s.shape, int(np.prod(s.shape[:-1])))
        elif kind == "scale":
            args[name] = v.normal(s.shape, 0.1, 1.0)
        else:
            args[name] = v.normal(s.shape, 0.1)

    def main(*a):
        xs, ps = a[: len(inputs)], a[len(inputs):]
        params = unflatten_dict(dict(zip(flat.keys(), ps)))
        return module.apply({"params": params}, *xs)

    main.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in args])
    return main, args, ()


@example
def lenet():
    v = Values(2)
    return from_flax(LeNet(), {"images": v.normal((16, 28, 28, 1))}, v)


@example
def vit_tiny():
    v = Values(3)
    return from_flax(ViT(), {"images": v.normal((2, 32, 32, 3))}, v)


def split_heads(x, heads):
    b, s, d = x.shape
    return x.reshape(b, s, heads, d // heads).transpose(0, 2, 1, 3)


def block(x, ln0_scale, ln0_bias, wq, wk, wv, wo, ln1_scale, ln1_bias, w_up, b_up, w_down, b_down):
    heads, (b, s, d) = 4, x.shape
    h = layer_norm(x, ln0_scale, ln0_bias)
    q, k, v = (split_heads(h @ w, heads) for w in (wq, wk, wv))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k, preferred_element_type=jnp.float32) / np.float32(np.sqrt(d // heads))
    causal = jnp.tril(jnp.ones((s, s), jnp.bool_))
    probs = jax.nn.softmax(jnp.where(causal, scores, np.float32(-1e9))).astype(x.dtype)
    out = jnp.einsum("bhqk,bhkd->bhqd", probs, v).transpose(0, 2, 1, 3).reshape(b, s, d)
    x = x + out @ wo
    h = layer_norm(x, ln1_scale, ln1_bias)
    h = jax.nn.gelu(dense(h, w_up, b_up))
    return x + dense(h, w_down, b_down)


def block_args(v, d, hidden):
    return {
        "ln0_scale": v.normal((d,), 0.1, 1.0), "ln0_bias": v.normal((d,), 0.1),
        "wq": v.weight((d, d), d), "wk": v.weight((d, d), d), "wv": v.weight((d, d), d), "wo": v.weight((d, d), d),
        "ln1_scale": v.normal((d,), 0.1, 1.0), "ln1_bias": v.normal((d,), 0.1),
        "w_up": v.weight((d, hidden), d), "b_up": v.normal((hidden,), 0.1),
        "w_down": v.weight((hidden, d), hidden), "b_down": v.normal((d,), 0.1),
    }


@example
def transformer_block():
    v = Values(4)
    return block, {"x": v.normal((2, 128, 256))} | block_args(v, 256, 1024), ()


@example
def transformer_block_bf16():
    v = Values(4, ml_dtypes.bfloat16)
    return block, {"x": v.normal((2, 128, 256))} | block_args(v, 256, 1024), ()


@example
def mlp_train_step():
    v = Values(5)
    args = {}
    for i, (m, n) in enumerate([(784, 256), (256, 128), (128, 10)]):
        args[f"w{i}"] = v.weight((m, n), m)
        args[f"b{i}"] = v.normal((n,), 0.1)
    args["x"] = v.normal((64, 784))
    args["labels"] = v.ints((64,), 10)

    def loss_fn(params, x, labels):
        w0, b0, w1, b1, w2, b2 = params
        h = jax.nn.gelu(dense(x, w0, b0))
        h = jax.nn.gelu(dense(h, w1, b1))
        logp = jax.nn.log_softmax(dense(h, w2, b2))
        return -jnp.mean(jnp.sum(jax.nn.one_hot(labels, 10) * logp, axis=-1))

    def main(w0, b0, w1, b1, w2, b2, x, labels):
        params = (w0, b0, w1, b1, w2, b2)
        loss, grads = jax.value_and_grad(loss_fn)(params, x, labels)
        return (*(p - np.float32(0.05) * g for p, g in zip(params, grads)), loss)

    return main, args, (0, 1, 2, 3, 4, 5)


@example
def decode_step():
    d, heads, hidden, cache, layers = 256, 4, 512, 128, 2
    v = Values(6)
    args = {"token": v.normal((1, 1, d)), "position": np.int32(37)}
    for i in range(layers):
        for c in ("k", "v"):
            filled = v.normal((1, heads, cache, d // heads))
            filled[:, :, 37:] = 0  # later positions have not been decoded yet
            args[f"{c}_cache{i}"] = filled
    names = list(block_args(v, 1, 1))
    for i in range(layers):
        args |= {f"{n}{i}" if not n[-1].isdigit() else f"{n}_{i}": a for n, a in block_args(v, d, hidden).items()}

    def main(*a):
        x, position, caches, weights = a[0], a[1], a[2: 2 + 2 * layers], a[2 + 2 * layers:]
        new_caches = []
        for i in range(layers):
            p = dict(zip(names, weights[len(names) * i: len(names) * (i + 1)]))
            h = layer_norm(x, p["ln0_scale"], p["ln0_bias"])
            q, k, val = (split_heads(h @ p[w], heads) for w in ("wq", "wk", "wv"))
            k_cache = lax.dynamic_update_slice(caches[2 * i], k, (0, 0, position, 0))
            v_cache = lax.dynamic_update_slice(caches[2 * i + 1], val, (0, 0, position, 0))
            new_caches += [k_cache, v_cache]
            scores = jnp.einsum("bhqd,bhkd->bhqk", q, k_cache) / np.float32(np.sqrt(d // heads))
            seen = lax.broadcasted_iota(jnp.int32, (1, 1, 1, cache), 3) <= position
            probs = jax.nn.softmax(jnp.where(seen, scores, np.float32(-1e9)))
            out = jnp.einsum("bhqk,bhkd->bhqd", probs, v_cache).transpose(0, 2, 1, 3).reshape(1, 1, d)
            x = x + out @ p["wo"]
            h = layer_norm(x, p["ln1_scale"], p["ln1_bias"])
            x = x + dense(jax.nn.gelu(dense(h, p["w_up"], p["b_up"])), p["w_down"], p["b_down"])
        return (x, *new_caches)

    main.__signature__ = inspect.Signature(
        [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in args])
    return main, args, tuple(range(2, 2 + 2 * layers))


# --- export ---------------------------------------------------------------------------------------------------


def write_npz(path, arrays):
    """A compressed npz without dates; a dtype numpy cannot name goes as raw bytes with a NAME.npy.meta member."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, a in arrays.items():
            a = np.asarray(a)
            meta = None
            if a.dtype == ml_dtypes.bfloat16:
                meta = json.dumps({"ml_dtype": a.dtype.name})
                a = a.view(np.dtype("V2"))
            buf = io.BytesIO()
            np.lib.format.write_array(buf, np.ascontiguousarray(a).reshape(a.shape))
            z.writestr(zipfile.ZipInfo(f"{name}.npy"), buf.getvalue(), zipfile.ZIP_DEFLATED, 9)
            if meta:
                z.writestr(zipfile.ZipInfo(f"{name}.npy.meta"), meta, zipfile.ZIP_DEFLATED, 9)


def export(name, out):
    fn, args, donated = EXAMPLES[name]()
    assert list(inspect.signature(fn).parameters) == list(args), name
    specs = [jax.ShapeDtypeStruct(np.shape(a), np.asarray(a).dtype) for a in args.values()]
    lowered = jax.jit(fn, keep_unused=True, donate_argnums=donated).lower(*specs)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True)
    results = jax.tree.leaves(jax.jit(fn)(*args.values()))
    for i, r in enumerate(results):
        flat = np.asarray(r).astype(np.float64).ravel()
        assert np.isfinite(flat).all() and (flat.size == 1 or flat.std() > 0), f"{name}: output{i} is degenerate"
    assert str(ROOT) not in text and "/home" not in text, f"{name}: a location names this machine"
    (out / f"{name}.mlir").write_text(text + ("" if text.endswith("\n") else "\n"))
    write_npz(out / f"{name}.inputs.npz", args)
    write_npz(out / f"{name}.expected.npz", {f"output{i}": r for i, r in enumerate(results)})
    sizes = [(out / f"{name}.{k}").stat().st_size for k in ("mlir", "inputs.npz", "expected.npz")]
    params = sum(np.size(a) for n, a in args.items() if n not in ("x", "images", "labels", "token", "position"))
    print(f"{name}: {params} parameters, files {sizes}")
    assert max(sizes) < 2_000_000, f"{name}: a file exceeds 2 MB"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--out", default=ROOT / "examples", type=pathlib.Path)
    p.add_argument("names", nargs="*", default=list(EXAMPLES))
    a = p.parse_args()
    a.out.mkdir(exist_ok=True)
    for name in a.names:
        export(name, a.out)


if __name__ == "__main__":
    main()
