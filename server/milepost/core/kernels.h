/* What the sources that are compiled to WebAssembly share (`core/wasm.py`, `make kernels`). */

#include <stdint.h>
#include <wasm_simd128.h>

#define INLINE inline __attribute__((always_inline))
#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct {
  v128_t part[4];
} bytes_t;

/* The next 64 bytes. */
static INLINE bytes_t load(const uint8_t *at) {
  bytes_t bytes;
  for (int index = 0; index < 4; index++) bytes.part[index] = wasm_v128_load(at + 16 * index);
  return bytes;
}

/* Which of them are this one, a bit for each. */
static INLINE uint64_t equal_to(const bytes_t *bytes, uint8_t code) {
  const v128_t wanted = wasm_i8x16_splat(code);
  uint64_t found = 0;
  for (int index = 0; index < 4; index++)
    found |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(bytes->part[index], wanted)) << 16 * index;
  return found;
}

/* What lies from an opening quote up to before the closing one. `inside` (all bits or none) says whether that begins before
 * the first of them, and then whether it goes on behind the last. */
static INLINE uint64_t within_quotes(uint64_t quotes, uint64_t *inside) {
  uint64_t within = quotes ^ quotes << 1;
  within ^= within << 2;
  within ^= within << 4;
  within ^= within << 8;
  within ^= within << 16;
  within ^= within << 32;
  within ^= *inside;
  *inside = (uint64_t)((int64_t)within >> 63);
  return within;
}
