/* Where the strings and brackets of a text of JSON are, and how deep it lies: what `json_index.py` and `json_levels.py` find
 * with operations on whole arrays, at the speed of compiled code. `json_kernel.py` loads it, for big files only.
 *
 * `mark` is the first stage of simdjson (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019). `measure` adds
 * the depths up, eight times eight bytes at once.
 *
 * Compiled to WebAssembly (`make kernels`), it is one file for every platform, and cannot touch memory but its own. */

#include "kernels.h"

#define MOST_BYTES (8u << 20)
#define MOST_WORDS (MOST_BYTES / 64)

static uint8_t text[MOST_BYTES + 64];
/* One bit for each byte of the text. */
static uint64_t quotes[MOST_WORDS + 1], strings[MOST_WORDS + 1], openers[MOST_WORDS + 1], closers[MOST_WORDS + 1];
static int32_t before[MOST_WORDS + 2], lowest[MOST_WORDS + 1];
static uint64_t byte_lows[MOST_WORDS + 1];

EXPORT(text) void *text_at(void) { return text; }
EXPORT(quotes) void *quotes_at(void) { return quotes; }
EXPORT(strings) void *strings_at(void) { return strings; }
EXPORT(openers) void *openers_at(void) { return openers; }
EXPORT(closers) void *closers_at(void) { return closers; }
EXPORT(before) void *before_at(void) { return before; }
EXPORT(lowest) void *lowest_at(void) { return lowest; }
EXPORT(byte_lows) void *byte_lows_at(void) { return byte_lows; }

/* Marks the quotes that nothing escapes, what lies inside strings, and the brackets outside of them. The text begins inside a
 * string or not, but never behind a backslash. */
EXPORT(mark) void mark(uint32_t size, uint32_t in_string) {
  const uint64_t even = 0x5555555555555555u;
  uint64_t inside = in_string ? ~(uint64_t)0 : 0, is_escaped = 0;
  __builtin_memset(text + size, 0, 64);
  for (uint32_t word = 0; word < (size + 63) / 64; word++) {
    const bytes_t bytes = load(text + 64 * word);
    bytes_t merged;
    /* No letter outside of strings, of valid JSON, becomes a bracket by that. */
    for (int index = 0; index < 4; index++) merged.part[index] = wasm_v128_and(bytes.part[index], wasm_i8x16_splat((int8_t)0xDF));
    uint64_t slashes = equal_to(&bytes, '\\'), escaped = is_escaped;
    is_escaped = 0;
    if (slashes) {
      /* A run of backslashes escapes what follows it when their number is odd. */
      slashes &= ~escaped;
      const uint64_t follows = slashes << 1 | escaped, odd_starts = slashes & ~even & ~follows;
      uint64_t sum;
      is_escaped = __builtin_add_overflow(odd_starts, slashes, &sum);
      escaped = (even ^ sum << 1) & follows;
    }
    quotes[word] = equal_to(&bytes, '"') & ~escaped;
    const uint64_t within = within_quotes(quotes[word], &inside);
    strings[word] = within;
    openers[word] = equal_to(&merged, '[') & ~within;
    closers[word] = equal_to(&merged, ']') & ~within;
  }
}

/* The least depth in eight bytes, from their brackets one by one. */
static int low_of(uint32_t opens, uint32_t closes) {
  int depth = 0, low = 0;
  for (uint32_t bit = 1; bit < 256; bit <<= 1) {
    depth += (opens & bit) != 0;
    depth -= (closes & bit) != 0;
    if (depth < low) low = depth;
  }
  return low;
}

/* The greatest depth in 64 bytes. */
static int high_of(uint64_t opens, uint64_t closes) {
  int depth = 0, high = 0;
  for (uint64_t rest = opens | closes; rest; rest &= rest - 1) {
    depth += opens & rest & -rest ? 1 : -1;
    if (depth > high) high = depth;
  }
  return high;
}

/* From the bits of `openers` and `closers`: the depth before each of `words` words (and after the last), the least in each,
 * and the least in each eight bytes, relative to where their word begins. The greatest depth of all is given back. */
EXPORT(measure) int32_t measure(uint32_t words) {
  const uint64_t each = 0x0101010101010101u;
  int32_t depth = 0, greatest = 0;
  for (uint32_t word = 0; word < words; word++) {
    const uint64_t opens = openers[word], closes = closers[word];
    before[word] = depth;
    if (!(opens | closes)) {
      byte_lows[word] = 0;
      lowest[word] = depth;
      continue;
    }
    const v128_t both = wasm_i64x2_make(opens, closes), counts = wasm_i8x16_popcnt(both);
    const uint64_t rises = wasm_i64x2_extract_lane(counts, 0), falls = wasm_i64x2_extract_lane(counts, 1);
    const uint64_t risen = rises * each, fallen = falls * each;
    /* Where each eight bytes begin, and what they fall to if no opener comes before a closer. */
    v128_t starts = wasm_i8x16_sub(wasm_i64x2_make(risen - rises, 0), wasm_i64x2_make(fallen - falls, 0));
    v128_t lows = wasm_i8x16_sub(starts, wasm_i64x2_make(falls, 0));
    const v128_t first = wasm_v128_and(both, wasm_i8x16_neg(both));
    const v128_t returns = wasm_v128_and(
        wasm_u8x16_gt(wasm_i64x2_make(closes, 0), wasm_i64x2_make(wasm_i64x2_extract_lane(first, 0), 0)),
        wasm_i8x16_ne(wasm_i64x2_make(opens, 0), wasm_i8x16_splat(0)));
    int8_t each_low[16], each_start[16];
    wasm_v128_store(each_low, lows);
    uint32_t returning = wasm_i8x16_bitmask(returns) & 0xFF;
    if (returning) {
      wasm_v128_store(each_start, starts);
      for (; returning; returning &= returning - 1) {
        const int at = __builtin_ctz(returning);
        each_low[at] = each_start[at] + low_of(opens >> 8 * at & 0xFF, closes >> 8 * at & 0xFF);
      }
    }
    int low = 0;
    for (int at = 0; at < 8; at++)
      if (each_low[at] < low) low = each_low[at];
    __builtin_memcpy(byte_lows + word, each_low, 8);
    lowest[word] = depth + low;
    const int rise = __builtin_popcountll(opens);
    if (depth + rise > greatest) {
      const int high = depth + high_of(opens, closes);
      if (high > greatest) greatest = high;
    }
    depth += rise - __builtin_popcountll(closes);
  }
  before[words] = depth;
  return greatest;
}
