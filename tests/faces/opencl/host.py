"""A host program on pyopencl: buffers, parts of them, images, local memory, groups that do not fill, printf, events."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array

SOURCE = r"""
global int calls;

kernel void add(global int *a, global const int *b, int k)
{
    int i = get_global_id(0);
    a[i] = b[i] + k;
}

kernel void count(global int *out)
{
    calls += 1;
    out[0] = calls;
}

kernel void sums(global const int *in, global int *out, local int *part)
{
    int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        int sum = 0;
        for (int n = 0; n < (int)get_local_size(0); n++)
            sum += part[n];
        out[get_group_id(0)] = sum + 1000 * (int)get_enqueued_local_size(0);
    }
}

kernel void turn(read_only image2d_t in, write_only image2d_t out, sampler_t s)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at.yx, read_imagef(in, s, at));
}

kernel void hello(void)
{
    printf("%d %s %5.2f\n", (int)get_global_id(0), "of two", 1.5f);
}

kernel void past(global char *a)
{
    vstore4((char4)(1, 2, 3, 4), 0, a + 4093);
}

kernel void outside(global int *a)
{
    global int *nowhere = (global int *)(ulong)(4096 + a[0]);
    *nowhere = 1;
}
"""


def main():
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, SOURCE).build("-cl-std=CL2.0")
    flags = cl.mem_flags
    values = np.arange(1000, dtype=np.int32)

    def buffer(data):
        return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=data)

    source, target = buffer(values), buffer(np.zeros_like(values))
    event = program.add(queue, values.shape, None, target, source, np.int32(5))
    got = np.empty_like(values)
    cl.enqueue_copy(queue, got, target)
    assert (got == values + 5).all()
    assert event.profile.end >= event.profile.start

    # A part of a buffer begins where the part does.
    part = source.get_sub_region(512, 256)
    program.add(queue, (64,), None, target, part, np.int32(0))
    cl.enqueue_copy(queue, got, target)
    assert (got[:64] == values[128:192]).all() and got[64] == 69

    # Variables of program scope keep their values.
    out = buffer(np.zeros(1, np.int32))
    for call in range(1, 4):
        program.count(queue, (1,), None, out)
        one = np.empty(1, np.int32)
        cl.enqueue_copy(queue, one, out)
        assert one[0] == call

    # The last group has 1000 - 15 * 64 work-items.
    sums = buffer(np.zeros(16, np.int32))
    program.sums(queue, (1000,), (64,), source, sums, cl.LocalMemory(256))
    got = np.empty(16, np.int32)
    cl.enqueue_copy(queue, got, sums)
    wanted = [values[n * 64:(n + 1) * 64].sum() + 64000 for n in range(16)]
    assert (got == wanted).all()

    # An image, turned.
    texels = np.random.default_rng(1).integers(0, 256, (8, 16, 4), dtype=np.uint8)
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    picture = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, form, (16, 8), hostbuf=texels)
    turned = cl.Image(context, flags.WRITE_ONLY, form, (8, 16))
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)
    program.turn(queue, (16, 8), None, picture, turned, sampler)
    got = np.empty((16, 8, 4), np.uint8)
    cl.enqueue_copy(queue, got, turned, origin=(0, 0), region=(8, 16))
    assert (got == texels.transpose(1, 0, 2)).all()

    # Arrays of pyopencl, which make kernels of their own.
    array = cl.array.to_device(queue, values.astype(np.float32))
    assert cl.array.sum(2 * array + 1).get() == (2 * values + 1).sum()

    # Memory of cards comes in pages: a byte past the end of a buffer is there, and not part of it.
    short = cl.Buffer(context, flags.READ_WRITE, 4096)
    program.past(queue, (1,), None, short)
    tail = np.empty(3, np.int8)
    cl.enqueue_copy(queue, tail, short, src_offset=4093)
    assert (tail == [1, 2, 3]).all()

    # What cannot be run is an error of the event, and the program goes on.
    failed = program.outside(queue, (16,), None, out)
    for wait in (failed.wait, queue.finish):
        try:
            wait()
        except cl.RuntimeError:
            continue
        raise AssertionError("a write outside of all memory did not fail")
    queue.finish()
    program.count(queue, (1,), None, out)
    one = np.empty(1, np.int32)
    cl.enqueue_copy(queue, one, out)
    assert one[0] == 4

    # Work-items without number are bounded by their instructions alone.
    said = again("many", VISIM_MAX_STEPS="1000").stderr
    assert "VISIM_MAX_STEPS gives launches more" in said, said

    # printf goes to standard output, behind what the host has printed there.
    said = again("printf").stdout
    assert "before\n0 of two  1.50\n1 of two  1.50\n" in said, said
    print("pyopencl: passed")


def again(part, **environment):
    """Runs a part of this program in a process of its own."""
    command = [sys.executable, os.path.abspath(__file__), part]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300, env={**os.environ, **environment})


def only(part):
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build("-cl-std=CL2.0")
    if part == "printf":
        ctypes.CDLL(None).printf(b"before\n")
        program.hello(queue, (2,), None)
    else:
        program.count(queue, (1 << 26,), (1,), cl.Buffer(context, cl.mem_flags.READ_WRITE, 4))
    try:
        queue.finish()
    except cl.RuntimeError:
        assert part == "many"


if __name__ == "__main__":
    only(sys.argv[1]) if sys.argv[1:] else main()
