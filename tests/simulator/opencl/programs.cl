// Plain OpenCL C: control flow, conversions, local memory, atomics, subgroup functions, 64-bit integers, private arrays.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define SUBGROUP __attribute__((intel_reqd_sub_group_size(SIMD)))

SUBGROUP kernel void ids(global int4 *out) {
  int at = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[at] = (int4)(get_local_id(0), get_local_id(1) + 100 * get_local_id(2),
                   get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2),
                   get_sub_group_id() * 100 + get_sub_group_local_id());
}

SUBGROUP kernel void divergent_loop(global uint *x, global uint *out) {
  int i = get_global_id(0);
  uint v = x[i], steps = 0;
  while (v != 1 && steps < 200) {
    if (v & 1) v = 3 * v + 1;
    else v >>= 1;
    steps++;
    if (steps == 77) break;
  }
  out[i] = steps * 1000003u + v;
}

SUBGROUP kernel void division(global int *a, global int *b, global int *out) {
  int i = get_global_id(0);
  out[4 * i] = a[i] / b[i];
  out[4 * i + 1] = a[i] % b[i];
  out[4 * i + 2] = (uint)a[i] / (uint)b[i];
  out[4 * i + 3] = mul_hi(a[i], b[i]);
}

SUBGROUP kernel void bits(global uint *a, global uint *out) {
  int i = get_global_id(0);
  uint v = a[i];
  out[8 * i] = clz(v);
  out[8 * i + 1] = popcount(v);
  out[8 * i + 2] = rotate(v, 7u);
  out[8 * i + 3] = ctz(v);
  out[8 * i + 4] = as_uint(convert_int_sat(as_float(v)));
  out[8 * i + 5] = (uint)convert_uchar_sat((int)v);
  out[8 * i + 6] = add_sat((int)v, 0x70000000);
  out[8 * i + 7] = as_uint((float)v);
}

SUBGROUP kernel void conversions(global float *a, global half *h, global int *out) {
  int i = get_global_id(0);
  h[i] = convert_half(a[i]);
  out[2 * i] = convert_int_rte(a[i]);
  out[2 * i + 1] = (int)floor(a[i]) * 3 + (int)ceil(a[i]) + (int)trunc(a[i]);
}

SUBGROUP kernel void rounding_modes(global float *a, global half *out) {
  int i = get_global_id(0);
  out[4 * i] = convert_half_rte(a[i]);
  out[4 * i + 1] = convert_half_rtz(a[i]);
  out[4 * i + 2] = convert_half_rtp(a[i]);
  out[4 * i + 3] = convert_half_rtn(a[i]);
}

SUBGROUP kernel void floats(global float *a, global float *b, global float *c, global float *out) {
  int i = get_global_id(0);
  out[4 * i] = fma(a[i], b[i], c[i]);
  out[4 * i + 1] = fmin(a[i], b[i]);
  out[4 * i + 2] = fmax(a[i], c[i]) + fabs(b[i]);
  out[4 * i + 3] = a[i] * b[i];
}

SUBGROUP kernel void subgroups(global float *a, global float *out, global int *p) {
  int i = get_global_id(0);
  out[i] = sub_group_reduce_max(a[i]) + sub_group_broadcast(a[i], 3);
  p[i] = sub_group_scan_exclusive_add((int)get_sub_group_local_id()) + sub_group_any(a[i] > 2.5f) * 1000;
}

SUBGROUP kernel void local_sums(global int *a, global int *out, local int *t) {
  int l = get_local_id(0);
  t[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = t[0];
}

SUBGROUP kernel void atomics(global int *a, global int *counts) {
  int i = get_global_id(0);
  atomic_add(&counts[a[i] & 15], a[i]);
  atomic_max(&counts[16], a[i]);
  atomic_inc(&counts[17]);
  atomic_xor(&counts[18], a[i]);
  atomic_min(&counts[19], a[i]);
}

SUBGROUP kernel void local_atomics(global uint *a, global uint *out) {
  local uint bins[16];
  int l = get_local_id(0);
  if (l < 16) bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[a[get_global_id(0)] & 15], 1u);
  atomic_or(&bins[15], 0x10000u);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) out[get_group_id(0) * 16 + l] = bins[l];
}

SUBGROUP kernel void shuffles(global int *a, global int *out) {
  int i = get_global_id(0);
  out[i] = intel_sub_group_shuffle(a[i], (get_sub_group_local_id() * 7 + 3) % SIMD);
}

SUBGROUP kernel void longs(global long *a, global long *b, global long *out) {
  int i = get_global_id(0);
  out[4 * i] = a[i] * b[i];
  out[4 * i + 1] = a[i] + (b[i] >> 3);
  out[4 * i + 2] = a[i] < b[i] ? a[i] : b[i];
  out[4 * i + 3] = (ulong)a[i] >> (b[i] & 63);
}

SUBGROUP kernel void private_array(global int *a, global int *out) {
  int i = get_global_id(0), t[16], s = 0;
  for (int k = 0; k < 16; k++) t[(k * 5 + a[i]) & 15] = k * a[i];
  for (int k = 0; k < 16; k++) s += t[(k * a[i]) & 15] * (k + 1);
  out[i] = s;
}

constant int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

SUBGROUP kernel void table(global int *a, global int *out) {
  int i = get_global_id(0);
  out[i] = primes[a[i] & 15] * a[i];
}

SUBGROUP kernel void choices(global int *a, global int *out) {
  int i = get_global_id(0), r = 0;
  switch (a[i] & 7) {
  case 0: r = 5; break;
  case 1: r = a[i] * 2;
  case 2: r += 7; break;
  case 3:
    for (int k = 0; k < a[i]; k++) {
      if (k == 5) continue;
      r += k;
    }
    break;
  case 6:
    if (a[i] > 10) { r = 1; return; }
    r = 3;
  default: r -= 1;
  }
  out[i] = r;
}

SUBGROUP kernel void nested_loops(global int *a, global int *out) {
  int i = get_global_id(0), r = 0;
  for (int x = 0; x < (a[i] & 7); x++) {
    int y = 0;
    do {
      if ((x ^ y ^ a[i]) & 1) r += x * y + 1;
      else if (y > 3) break;
      y++;
    } while (y < (a[i] & 15));
    if (r > 300) break;
  }
  out[i] = r;
}

SUBGROUP kernel void private_memory(global int *a, global int *out) {
  int i = get_global_id(0), v = a[i], t[300], s = 0;
  for (int k = 0; k < 300; k++) t[(k * 7 + v) % 300] = k * v + i;
  for (int k = 0; k < 300; k++) s += t[(k * v) % 300] * (k + 1);
  out[i] = s;
}

SUBGROUP kernel void turns(global int *out, int first) {
  local int now[2], kept[64];
  int l = get_local_id(0), s = get_sub_group_id();
  if (l < 2) now[l] = l ? 0 : first;
  barrier(CLK_LOCAL_MEM_FENCE);
  // The last subgroup has the first turn.
  if (get_sub_group_local_id() == 0) {
    while (atomic_add(&now[0], 0) != (int)get_num_sub_groups() - 1 - s) ;
    kept[s] = atomic_inc(&now[1]);
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&now[0]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < (int)get_num_sub_groups()) out[get_group_id(0) * get_num_sub_groups() + l] = kept[l];
}
