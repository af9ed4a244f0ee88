// What Intel's tile instructions do, in OpenCL C: executed where a device lacks them, readable as their specification.
//
// backends/spirv/finished/emulate.py replaces each instruction of a finished SPIR-V module by calls of these functions and appends one
// line per function that the module needs, such as XETILE_2D_LOAD(xetile_2d_load_2b_16x8x1_sg16, ushort, 8, 2, 16, 8, 1, 16).
// Sources: SPV_INTEL_2d_block_io rev 2 and SPV_INTEL_subgroup_matrix_multiply_accumulate rev 1.
//
// Functions are not inlined: a kernel calls them hundreds of times and would take many times as long to build.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define UNROLL(n) __attribute__((opencl_unroll_hint(n)))

// So that vectors of one component need no case of their own.
typedef uchar uchar1; typedef ushort ushort1; typedef uint uint1; typedef ulong ulong1; typedef half half1; typedef float float1;
#ifdef cl_khr_fp64
typedef double double1;
#endif
#define VECTOR(type, count) VECTOR_(type, count)
#define VECTOR_(type, count) type##count
#define COMPONENT(type, vector, index) (((private type *)&(vector))[index])

// ---------------------------------------------------------------------------------------------------------------- 2D blocks
//
// A region of memory has `height` rows, `pitch` bytes apart, of `columns` elements.  A block starts at element `x` of row
// `y`, either of which may lie outside.  Reading outside gives 0; writing outside does nothing.

typedef struct {
  global uchar *base;
  int columns, height, pitch, x, y;
} region;

// All operands are uniform over the subgroup.  The compiler cannot see that through a call, and would access memory lane by
// lane.
INLINE region region_of(global uchar *base, int width, int height, int pitch, int2 at, int bytes) {
  region r;
  r.base = (global uchar *)sub_group_broadcast((ulong)base, 0);
  r.columns = sub_group_broadcast(width, 0) / bytes;
  r.height = sub_group_broadcast(height, 0);
  r.pitch = sub_group_broadcast(pitch, 0);
  r.x = sub_group_broadcast(at.x, 0);
  r.y = sub_group_broadcast(at.y, 0);
  return r;
}

INLINE bool holds(region r, int columns, int rows) {
  return r.x >= 0 && r.y >= 0 && r.x <= r.columns - columns && r.y <= r.height - rows;
}

INLINE bool inside(region r, int column, int row) {
  return (uint)(r.x + column) < (uint)r.columns && (uint)(r.y + row) < (uint)r.height;
}

// The address of an element of the block.
INLINE global uchar *address(region r, int column, int row, int bytes) {
  return r.base + (long)(r.y + row) * r.pitch + (long)(r.x + column) * bytes;
}

INLINE ulong fetch(global const uchar *p, int bytes) {
  switch (bytes) {
  case 1: return *p;
  case 2: return *(global const ushort *)p;
  case 4: return *(global const uint *)p;
  default: return *(global const ulong *)p;
  }
}

INLINE void put(global uchar *p, int bytes, ulong value) {
  switch (bytes) {
  case 1: *p = (uchar)value; break;
  case 2: *(global ushort *)p = (ushort)value; break;
  case 4: *(global uint *)p = (uint)value; break;
  default: *(global ulong *)p = value;
  }
}

// `count` elements joined, the first in the low bits.  They lie `right` columns and `down` rows apart.
INLINE ulong gather(region r, int column, int row, int bytes, int count, int right, int down, bool all_inside) {
  if (all_inside && right == 1)
    return fetch(address(r, column, row, bytes), bytes * count);
  ulong joined = 0;
  UNROLL(4) for (int i = 0; i < count; i++)
    if (all_inside || inside(r, column + i * right, row + i * down))
      joined |= fetch(address(r, column + i * right, row + i * down, bytes), bytes) << 8 * bytes * i;
  return joined;
}

// How the rows of a block lie in the lanes ("Mapping Block Data to Invocations").  Rows as long as the subgroup: a lane gets
// one element of each.  Shorter ones: several rows side by side make a step.  Longer ones: a lane gets adjacent elements,
// here joined to one integer.
#define ADJACENT(width, size) ((width) > (size) ? (width) / (size) : 1)
#define LANES_PER_ROW(width, size) ((width) < (size) ? (width) : (size))
#define ROWS_PER_STEP(width, size) ((size) / LANES_PER_ROW(width, size))
#define STEPS(width, height, size) (((height) + ROWS_PER_STEP(width, size) - 1) / ROWS_PER_STEP(width, size))

// A lane's data are its steps, block after block.  A call moves `count` of them, the ones from `piece * count` on: every
// value stays in registers.  `block`, `row` and `column` say where in its block the lane's n-th value of this piece lies.
#define EACH_VALUE(hint, count, width, height, size, body)                                                                      \
  {                                                                                                                             \
    const int lane = get_sub_group_local_id(), first = sub_group_broadcast(piece, 0) * (count);                                 \
    const int steps = STEPS(width, height, size);                                                                               \
    hint for (int n = 0; n < (count); n++) {                                                                                    \
      const int block = first / steps + n / steps;                                                                              \
      const int row = (first % steps + n % steps) * ROWS_PER_STEP(width, size) + lane / LANES_PER_ROW(width, size);             \
      const int column = lane % LANES_PER_ROW(width, size) * ADJACENT(width, size);                                             \
      body                                                                                                                      \
    }                                                                                                                           \
  }

#define IF_ROW_EXISTS(height, size, width, value) ((height) % ROWS_PER_STEP(width, size) && row >= (height) ? 0 : (value))

// Blocks wholly inside are the common case; those over an edge have a function of their own.  Loops are unrolled only where it pays:
// the driver takes twice as long to build a product with all of them unrolled.
#define LOAD(NAME, TYPE, COUNT, BYTES, MEMORY_WIDTH, MEMORY_HEIGHT, BLOCKS, WIDTH, HEIGHT, SIZE, VALUE)                         \
  LOAD_PIECE(NAME##_edge, false, TYPE, COUNT, BYTES, WIDTH, HEIGHT, SIZE, VALUE, )                                              \
  LOAD_PIECE(NAME, true, TYPE, COUNT, BYTES, WIDTH, HEIGHT, SIZE, VALUE,                                                    \
             if (!holds(r, MEMORY_WIDTH * BLOCKS, MEMORY_HEIGHT)) return NAME##_edge(base, width, height, pitch, at, piece);)

#define LOAD_PIECE(NAME, INSIDE, TYPE, COUNT, BYTES, WIDTH, HEIGHT, SIZE, VALUE, ELSE)                                          \
  NOINLINE VECTOR(TYPE, COUNT) NAME(global uchar *base, int width, int height, int pitch, int2 at, int piece) {                 \
    const region r = region_of(base, width, height, pitch, at, BYTES);                                                          \
    const bool all_inside = INSIDE;                                                                                             \
    VECTOR(TYPE, COUNT) out;                                                                                                    \
    ELSE                                                                                                                        \
    EACH_VALUE(UNROLL(1), COUNT, WIDTH, HEIGHT, SIZE, COMPONENT(TYPE, out, n) = IF_ROW_EXISTS(HEIGHT, SIZE, WIDTH, VALUE);)     \
    return out;                                                                                                                 \
  }

// OpSubgroup2DBlockLoadINTEL: BLOCKS blocks side by side of H rows of W elements.
#define XETILE_2D_LOAD(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, SIZE)                                                            \
  LOAD(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, W, H, SIZE,                                                                      \
       gather(r, block * (W) + column, row, BYTES, ADJACENT(W, SIZE), 1, 0, all_inside))

// OpSubgroup2DBlockLoadTransformINTEL: rows of 32-bit values, each of which joins the elements of 4 / BYTES rows, lower rows
// in lower bits.
#define XETILE_2D_LOAD_TRANSFORM(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, SIZE)                                                  \
  LOAD(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, W, (H) * (BYTES) / 4, SIZE,                                                      \
       gather(r, block * (W) + column, row * (4 / (BYTES)), BYTES, 4 / (BYTES), 0, 1, all_inside))

// OpSubgroup2DBlockLoadTransposeINTEL: the first column of a block becomes the first row, and so on.
#define XETILE_2D_LOAD_TRANSPOSE(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, SIZE)                                                  \
  LOAD(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, H, W, SIZE,                                                                      \
       gather(r, block * (W) + row, column, BYTES, ADJACENT(H, SIZE), 0, 1, all_inside))

// OpSubgroup2DBlockStoreINTEL.
#define XETILE_2D_STORE(NAME, TYPE, COUNT, BYTES, W, H, BLOCKS, SIZE)                                                           \
  NOINLINE void NAME(global uchar *base, int width, int height, int pitch, int2 at, int piece, VECTOR(TYPE, COUNT) in) {        \
    const region r = region_of(base, width, height, pitch, at, BYTES);                                                          \
    if (holds(r, (W) * (BLOCKS), H))                                                                                            \
      EACH_VALUE(UNROLL(COUNT), COUNT, W, H, SIZE, if (row < (H))                                                               \
        put(address(r, block * (W) + column, row, BYTES), BYTES * ADJACENT(W, SIZE), COMPONENT(TYPE, in, n));)                  \
    else                                                                                                                        \
      EACH_VALUE(UNROLL(1), COUNT, W, H, SIZE, for (int i = 0; i < ADJACENT(W, SIZE); i++)                                      \
        if (row < (H) && inside(r, block * (W) + column + i, row))                                                              \
          put(address(r, block * (W) + column + i, row, BYTES), BYTES, (ulong)COMPONENT(TYPE, in, n) >> 8 * (BYTES) * i);)      \
  }

// ----------------------------------------------------------------------------------------------------------------- matrices
//
// OpSubgroupMatrixMultiplyAccumulateINTEL: C[M, S] + A[M, K] @ B[K, S] for a subgroup of S lanes.
//   A: a lane holds K / S adjacent columns of each row, packed, lower ones in lower bits; where K < S (tf32), lanes 0..K-1
//      hold the rows 0, S/K, 2S/K..., the next K lanes the rows after these.
//   B: a lane holds its column, packed to 32 bits, lower rows in lower bits.
//   C and the result: a lane holds its column.
// Floats are summed in f32, in the order of k, and rounded once at the end; integers wrap.

// Number of elements in a word and their values, by element type.
#define BITS_f16 16
#define BITS_bf16 16
#define BITS_tf32 32
#define BITS_s8 8
#define BITS_u8 8
#define BITS_s4 4
#define BITS_u4 4
#define ELEMENT_f16(word, i) ((float)as_half((ushort)((word) >> 16 * (i))))
#define ELEMENT_bf16(word, i) as_float((uint)((word) >> 16 * (i)) << 16)
#define ELEMENT_tf32(word, i) as_float(as_uint(word) & 0xffffe000) // 10 bits of mantissa
#define ELEMENT_s8(word, i) ((int)as_char((uchar)((word) >> 8 * (i))))
#define ELEMENT_u8(word, i) ((int)(uchar)((word) >> 8 * (i)))
#define ELEMENT_s4(word, i) ((int)((uint)(word) >> 4 * (i) << 28) >> 28)
#define ELEMENT_u4(word, i) ((int)((word) >> 4 * (i) & 15))

// Accumulators: the type that carries one, the type of its sums, its value and its rounding.
#define CARRIER_f32 float
#define CARRIER_f16 half
#define CARRIER_bf16 ushort
#define CARRIER_s32 uint
#define SUM_f32 float
#define SUM_f16 float
#define SUM_bf16 float
#define SUM_s32 int
#define WIDEN_f32(c) (c)
#define WIDEN_f16(c) ((float)(c))
#define WIDEN_bf16(c) as_float((uint)(c) << 16)
#define WIDEN_s32(c) as_int(c)
#define NARROW_f32(sum) (sum)
#define NARROW_f16(sum) ((half)(sum))
#define NARROW_bf16(sum) bf16_of(sum)
#define NARROW_s32(sum) as_uint(sum)
#define MULTIPLY_ADD_f32(a, b, sum) fma(a, b, sum)
#define MULTIPLY_ADD_f16(a, b, sum) fma(a, b, sum)
#define MULTIPLY_ADD_bf16(a, b, sum) fma(a, b, sum)
#define MULTIPLY_ADD_s32(a, b, sum) ((sum) + (a) * (b))

// Round to nearest even; a NaN stays one.
INLINE ushort bf16_of(float f) {
  const uint bits = as_uint(f);
  return isnan(f) ? (ushort)(bits >> 16 | 64) : (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

INLINE float tf32_of(float f) {
  const uint bits = as_uint(f);
  return isnan(f) || isinf(f) ? f : as_float((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000);
}

// `a_type` and `b_type` are the types of words of A and B, `a_count` the words of A per lane.  A is widened before it is
// broadcast: that is a vector operation of all lanes.
#define XETILE_MMA(NAME, a_type, a_count, b_type, A, B, C, M, K, SIZE)                                                          \
  NOINLINE VECTOR(CARRIER_##C, M) NAME(VECTOR(a_type, a_count) a, VECTOR(b_type, 8) b, VECTOR(CARRIER_##C, M) c) {              \
    const int packed = (K) > (SIZE) ? (K) / (SIZE) : 1, rows = (SIZE) > (K) ? (SIZE) / (K) : 1, in_b = 32 / BITS_##B;           \
    SUM_##C sum[M], wide[a_count * ((K) > (SIZE) ? (K) / (SIZE) : 1)];                                                          \
    VECTOR(CARRIER_##C, M) out;                                                                                                 \
    UNROLL(M) for (int m = 0; m < (M); m++)                                                                                     \
      sum[m] = WIDEN_##C(COMPONENT(CARRIER_##C, c, m));                                                                         \
    UNROLL(64) for (int n = 0; n < (a_count) * packed; n++)                                                                     \
      wide[n] = ELEMENT_##A(COMPONENT(a_type, a, n / packed), n % packed);                                                      \
    UNROLL(4) for (int k = 0; k < (K); k++) {                                                                                   \
      const SUM_##C from_b = ELEMENT_##B(COMPONENT(b_type, b, k / in_b), k % in_b);                                             \
      UNROLL(M) for (int m = 0; m < (M); m++) {                                                                                 \
        const SUM_##C from_a = sub_group_broadcast(wide[m / rows * packed + k % packed], m % rows * (K) + k / packed);          \
        sum[m] = MULTIPLY_ADD_##C(from_a, from_b, sum[m]);                                                                      \
      }                                                                                                                         \
    }                                                                                                                           \
    UNROLL(M) for (int m = 0; m < (M); m++)                                                                                     \
      COMPONENT(CARRIER_##C, out, m) = NARROW_##C(sum[m]);                                                                      \
    return out;                                                                                                                 \
  }

// ------------------------------------------------------------------------------------------------------- subgroup data moves
//
// SPV_INTEL_subgroups.  OpSubgroupShuffleDownINTEL: lane l gets lane l + delta of `first`, and beyond the last lane those of
// `second`, from its lane 0 on.  OpSubgroupShuffleUpINTEL: lane l gets lane l - delta of `second`, and before lane 0 those of
// `first`, up to its last.

#define SHUFFLE_RELATIVE(NAME, TYPE, COUNT, SIZE, FROM, IS_FIRST)                                                               \
  NOINLINE VECTOR(TYPE, COUNT) NAME(VECTOR(TYPE, COUNT) first, VECTOR(TYPE, COUNT) second, uint delta) {                        \
    const uint from = FROM;                                                                                                     \
    VECTOR(TYPE, COUNT) out;                                                                                                    \
    UNROLL(COUNT) for (int n = 0; n < (COUNT); n++) {                                                                           \
      const TYPE a = sub_group_shuffle(COMPONENT(TYPE, first, n), from % (SIZE));                                               \
      const TYPE b = sub_group_shuffle(COMPONENT(TYPE, second, n), from % (SIZE));                                              \
      COMPONENT(TYPE, out, n) = (IS_FIRST) ? a : b;                                                                             \
    }                                                                                                                           \
    return out;                                                                                                                 \
  }
#define XETILE_SHUFFLE_DOWN(NAME, TYPE, COUNT, SIZE)                                                                            \
  SHUFFLE_RELATIVE(NAME, TYPE, COUNT, SIZE, get_sub_group_local_id() + delta, from < (SIZE))
#define XETILE_SHUFFLE_UP(NAME, TYPE, COUNT, SIZE)                                                                              \
  SHUFFLE_RELATIVE(NAME, TYPE, COUNT, SIZE, (SIZE) + get_sub_group_local_id() - delta, from < (SIZE))

// OpSubgroupBlockReadINTEL, OpSubgroupBlockWriteINTEL: component n of lane l is element l + n * SIZE.
#define XETILE_BLOCK_READ(NAME, SPACE, TYPE, COUNT, SIZE)                                                                       \
  NOINLINE VECTOR(TYPE, COUNT) NAME(const SPACE TYPE *from) {                                                                   \
    VECTOR(TYPE, COUNT) out;                                                                                                    \
    UNROLL(COUNT) for (int n = 0; n < (COUNT); n++)                                                                             \
      COMPONENT(TYPE, out, n) = from[get_sub_group_local_id() + n * (SIZE)];                                                    \
    return out;                                                                                                                 \
  }
#define XETILE_BLOCK_WRITE(NAME, SPACE, TYPE, COUNT, SIZE)                                                                      \
  NOINLINE void NAME(SPACE TYPE *to, VECTOR(TYPE, COUNT) in) {                                                                  \
    UNROLL(COUNT) for (int n = 0; n < (COUNT); n++)                                                                             \
      to[get_sub_group_local_id() + n * (SIZE)] = COMPONENT(TYPE, in, n);                                                       \
  }

// -------------------------------------------------------------------------------------------------------------- conversions

#define EACH_COMPONENT(NAME, TO, FROM, COUNT, CONVERT)                                                                          \
  NOINLINE VECTOR(TO, COUNT) NAME(VECTOR(FROM, COUNT) in) {                                                                     \
    VECTOR(TO, COUNT) out;                                                                                                      \
    UNROLL(COUNT) for (int n = 0; n < (COUNT); n++)                                                                             \
      COMPONENT(TO, out, n) = CONVERT(COMPONENT(FROM, in, n));                                                                  \
    return out;                                                                                                                 \
  }

// OpConvertFToBF16INTEL, OpConvertBF16ToFINTEL, OpRoundFToTF32INTEL
#define XETILE_FLOAT_TO_BF16(NAME, COUNT) EACH_COMPONENT(NAME, ushort, float, COUNT, bf16_of)
#define XETILE_BF16_TO_FLOAT(NAME, COUNT) EACH_COMPONENT(NAME, float, ushort, COUNT, WIDEN_bf16)
#define XETILE_FLOAT_TO_TF32(NAME, COUNT) EACH_COMPONENT(NAME, float, float, COUNT, tf32_of)

// ------------------------------------------------------------------------------------------------------------------ packed
//
// Pieces of assembly (backends/spirv/assembly/packed.py): sixteen numbers of 16 bits, two to a word, or eight, row after row.

// Numbers of a table of which each lane holds one: bytes are places, a word for each.
INLINE uint8 xetile_packed_table(uint4 x, uint one) {
  union { uchar bytes[16]; uint4 all; } places;
  union { ushort halves[16]; uint8 all; } found;
  places.all = x;
  for (int i = 0; i < 16; i++) found.halves[i] = (ushort)sub_group_shuffle(one, (uint)(places.bytes[i] >> 2));
  return found.all;
}

// f8E4M3FN to f16, times factor / 256: sign, four bits of exponent and three of fraction where f16 has them; all ones are NaN.
#define FROM_E4M3(NAME, COUNT, BYTES, RESULT)                                                                \
  INLINE RESULT NAME(BYTES x, half factor) {                                                                         \
    ushort##COUNT bits = convert_ushort##COUNT(as_uchar##COUNT(x)), low = (ushort##COUNT)(0x7f);                      \
    ushort##COUNT sign = (bits & ~low) << (ushort##COUNT)(8), rest = (bits & low) << (ushort##COUNT)(7);              \
    half##COUNT wide = as_half##COUNT(sign | rest) * (half##COUNT)(factor);                                          \
    return as_##RESULT(select(as_ushort##COUNT(wide), (ushort##COUNT)(0x7e00), (bits & low) == low));                 \
  }
FROM_E4M3(xetile_packed_e4m3, 16, uint4, uint8)
FROM_E4M3(xetile_flat_e4m3, 8, uchar8, ushort8)
