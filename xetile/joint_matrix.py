"""Joint matrices inside `@xt.jit` kernels, as in SYCL (seed 004): for one subgroup, `num_subgroups=1`.

    c = xt.joint_matrix.load(C, (0, 0), (16, 16))
    for i in range(c.wi_data.length):
        c.wi_data[i] *= alpha
    xt.joint_matrix.store(c, C, (0, 0))

They run on CPUs and on numpy; on CPUs with AMX their products of bf16 and bytes are AMX instructions.
"""

from xetile.language.joint_matrix import JointMatrix, fill, load, mad, store

__all__ = ["JointMatrix", "fill", "load", "mad", "store"]
