/* What a table's records and cells are, one block at a time, at the speed of compiled code: `kernel.py` loads it.
 *
 * A block is a text of whole records. `find` lists where its fields end, or says that they are not what they were so far;
 * `survey` looks at each cell of the columns that it is told to. Both take what is certain only, and leave the rest to the
 * general code in Python: any answer of theirs is one that code would have given. Quotes are followed as in simdjson
 * (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019), digits read eight at a time (Lemire, "Quickly
 * parsing eight digits", 2018).
 *
 * Compiled to WebAssembly (`make kernels`), it is one file for every platform, and cannot touch memory but its own. */

#include "kernels.h"

#define MOST_BYTES (2u << 20)
#define MOST_COLUMNS 256u
#define MOST_LEFT (1u << 16)
#define LONGEST_NUMBER 30u
#define LONGEST_STAMP 48u
#define LONGEST_WORD 5u
#define MOST_TEXT 64u
#define ZEROS 0x3030303030303030u
#define ROWS_AT_ONCE 128u

/* What is expected of the cells of a column; those that are anything else are left. */
enum mode { SKIP, NUMBERS, TEXTS, ANY_TEXTS, STAMPS, NOTHING };
/* What the first byte of a text says (`survey.Tables`). */
enum first { UNDECIDED, TEXT, BY_THREE };
enum { MAY_BE_EMPTY = 1, BLANK = 2 };
/* Which cell of a block is an end of the range of its column. */
enum end { LEAST_INTEGER, MOST_INTEGER, LEAST_DECIMAL, MOST_DECIMAL, ENDS, LEAST_STAMP = 0, MOST_STAMP };

typedef struct {
  uint32_t mode;
  uint32_t empty, integers, decimals, codes, others, left;
  uint32_t width; /* of a stamp */
  uint32_t ends_at[ENDS], ends_width[ENDS]; /* cells at the ends of the range; width 0 where none lies beyond it so far */
  int64_t low_integer, high_integer;
  double low, high;
  int64_t inner_low, inner_high; /* whole numbers around which the range goes on for 1 at least, both ways */
  uint8_t shape[LONGEST_STAMP];
} column_t;

typedef struct {
  uint32_t column, start, end;
} left_t;

static uint8_t text[MOST_BYTES + 128];
/* The one before the first says that its field begins at 0. */
static uint32_t field_ends_and_before[MOST_BYTES + 16];
static uint32_t *const field_ends = field_ends_and_before + 1;
static column_t columns[MOST_COLUMNS];
static left_t left_cells[MOST_LEFT];
static uint8_t firsts[256], empties[256];
static uint8_t heads[1 << 15];
/* What `find` saw in the block: quotes, CR LF, and how many LF there are in all, inside quotes too. */
static struct {
  uint32_t quotes, returns, lines;
} seen;
static uint32_t quote_code;

EXPORT(text) uint8_t *text_at(void) { return text; }
EXPORT(field_ends) uint32_t *field_ends_at(void) { return field_ends; }
EXPORT(columns) column_t *columns_at(void) { return columns; }
EXPORT(left_cells) left_t *left_cells_at(void) { return left_cells; }
EXPORT(seen) void *seen_at(void) { return &seen; }
EXPORT(firsts) uint8_t *firsts_at(void) { return firsts; }
EXPORT(empties) uint8_t *empties_at(void) { return empties; }
EXPORT(heads) uint8_t *heads_at(void) { return heads; }

/* The ends of all fields of a block of whole records, and how many records there are. -1 where that is not certain: there
 * are quotes where none belong, or other line ends than LF and CR LF, or some record has not `width` fields. */
EXPORT(find) int32_t find(uint32_t size, uint32_t delimiter, int32_t quote, uint32_t width) {
  uint64_t inside = 0, after_mark = 1, after_close = 0, after_return = 0, any_return = 0, any_quote = 0;
  uint32_t rows = 0, found = 0, all_lines = 0;
  if (size > MOST_BYTES) return -1;
  __builtin_memset(text + size, 0, 128);
  quote_code = quote < 0 ? 256 : quote;
  field_ends[-1] = UINT32_MAX;
  for (uint32_t base = 0; base < size; base += 64) {
    const bytes_t bytes = load(text + base);
    uint64_t marks = equal_to(&bytes, delimiter), lines = equal_to(&bytes, '\n'), returns = equal_to(&bytes, '\r');
    uint64_t quotes = quote < 0 ? 0 : equal_to(&bytes, quote);
    uint64_t all = marks | lines | returns, wrong = (returns << 1 | after_return) & ~lines;
    after_return = returns >> 63;
    any_return |= returns;
    all_lines += __builtin_popcountll(lines);
    any_quote |= quotes;
    marks |= lines;
    if (quotes | inside) {
      const uint64_t within = within_quotes(quotes, &inside);
      uint64_t opens = quotes & within, closes = quotes & ~within;
      wrong |= opens & ~((all | closes) << 1 | after_mark | after_close);
      wrong |= (closes << 1 | after_close) & ~(all | opens);
      after_close = closes >> 63;
      marks &= ~within;
      lines &= ~within;
    } else {
      wrong |= after_close & ~all;
      after_close = 0;
    }
    after_mark = all >> 63;
    if (wrong) return -1;
    for (uint64_t rest = lines; rest; rest &= rest - 1) {
      uint64_t before = (rest & -rest) - 1;
      if (found + __builtin_popcountll(marks & before) + 1 != ++rows * width) return -1;
    }
    uint32_t *to = field_ends + found;
    uint32_t count = __builtin_popcountll(marks);
    /* Eight at a time without a question; what is too much is written over. */
    for (uint32_t done = 0; done < count; done += 8)
      for (uint32_t one = 0; one < 8; one++, marks &= marks - 1) to[done + one] = base + __builtin_ctzll(marks);
    found += count;
  }
  seen.quotes = any_quote != 0;
  seen.returns = any_return != 0;
  seen.lines = all_lines;
  return rows && !inside && found == rows * width && field_ends[found - 1] == size - 1 ? (int32_t)rows : -1;
}

static const double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Which of sixteen bytes are digits. */
static INLINE uint32_t digit_places(const uint8_t *at) {
  v128_t bytes = wasm_i8x16_sub(wasm_v128_load(at), wasm_i8x16_splat('0'));
  return wasm_i8x16_bitmask(wasm_u8x16_lt(bytes, wasm_i8x16_splat(10)));
}

/* Eight digits as a number, of which the first `8 - count` are zeros that stand before the text. */
static INLINE uint64_t value_of(uint64_t digits) {
  digits = digits * 10 + (digits >> 8);
  return ((digits & 0x000000FF000000FFu) * 0x000F424000000064u + (digits >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32 & UINT32_MAX;
}

/* The first digits of a text, up to eight, as `value_of` takes them. What is no digit leaves a bit in `odd_bits`. */
static INLINE uint64_t first_digits(const uint8_t *at, uint32_t count) {
  uint64_t word;
  __builtin_memcpy(&word, at, 8);
  return (word ^ ZEROS) << ((0 - 8 * count) & 63);
}

static INLINE uint64_t odd_bits(uint64_t digits) { return (digits + 0x7676767676767676u | digits) & 0x8080808080808080u; }

/* Goes on with `value` by `count` digits. */
static INLINE void read_digits(const uint8_t *at, uint32_t count, uint64_t *value) {
  static const uint64_t TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  while (count) {
    const uint32_t some = count < 8 ? count : 8;
    *value = *value * TENS[some] + value_of(first_digits(at, some));
    at += some;
    count -= some;
  }
}

static INLINE void note(column_t *column, enum end end, const uint8_t *cell, uint32_t width) {
  column->ends_at[end] = cell - text;
  column->ends_width[end] = width;
}

/* Set when a block begins: a range that grows within it is taken to be narrower than it is, which does no harm. */
static INLINE void look_inside(column_t *column) {
  column->inner_low = 1;
  column->inner_high = 0;
  if (column->low > -1e15 && column->low < 1e15 && column->high > -1e15 && column->high < 1e15) {
    column->inner_low = (int64_t)__builtin_ceil(column->low) + 1;
    column->inner_high = (int64_t)__builtin_floor(column->high) - 1;
  }
}

typedef struct {
  const uint8_t *cell; /* with its sign */
  const uint8_t *digits;
  uint32_t width;
  uint32_t is_negative;
} number_t;

static INLINE int integer(column_t *column, number_t number, uint32_t count) {
  uint64_t value = 0;
  if (count > 18 || (number.is_negative && *number.digits == '0')) return 0;
  if (*number.digits == '0' && count > 1) {
    column->codes++;
    return 1;
  }
  read_digits(number.digits, count, &value);
  const int64_t found = number.is_negative ? -(int64_t)value : (int64_t)value;
  if (found < column->low_integer) {
    column->low_integer = found;
    note(column, LEAST_INTEGER, number.cell, number.width);
  }
  if (found > column->high_integer) {
    column->high_integer = found;
    note(column, MOST_INTEGER, number.cell, number.width);
  }
  column->integers++;
  return 1;
}

/* `before` digits stand before the point, `behind` of them after it. */
static INLINE int decimal(column_t *column, number_t number, uint32_t before, uint32_t behind) {
  uint64_t value = 0;
  if ((*number.digits == '0' && before > 1) || !(before + behind) || before + behind > 18) return 0;
  read_digits(number.digits, before, &value);
  read_digits(number.digits + before + 1, behind, &value);
  double found = (double)value / POWERS[behind];
  if (number.is_negative) found = -found;
  if (before + behind > 15) {
    /* Not exact any more: enough where it lies well inside the range. */
    const double margin = __builtin_fabs(found) * 1e-13;
    if (!(found - margin > column->low && found + margin < column->high)) return 0;
  }
  if (found < column->low) {
    column->low = found;
    note(column, LEAST_DECIMAL, number.cell, number.width);
  }
  if (found > column->high) {
    column->high = found;
    note(column, MOST_DECIMAL, number.cell, number.width);
  }
  column->decimals++;
  return 1;
}

static INLINE int number(column_t *column, const uint8_t *cell, uint32_t width) {
  number_t number = {cell, cell, width, *cell == '-'};
  number.digits += number.is_negative;
  const uint32_t size = width - number.is_negative;
  if (!size || width > LONGEST_NUMBER) return 0;
  uint32_t odd = ~digit_places(number.digits) & 0xFFFF;
  if (size > 16) odd |= ~digit_places(number.digits + 16) << 16;
  odd |= 1u << size;
  const uint32_t before = __builtin_ctz(odd);
  if (before == size) return integer(column, number, size);
  if (number.digits[before] != '.' || (uint32_t)__builtin_ctz(odd & (odd - 1)) != size) return 0;
  /* As a rule the digits before the point tell that the range is no wider. */
  const int64_t value = value_of(first_digits(number.digits, before)), sign = -(int64_t)number.is_negative;
  const int64_t whole = (value ^ sign) - sign;
  const uint32_t leads = (*number.digits == '0') & (before != 1);
  const uint32_t is_inside = (whole >= column->inner_low) & (whole <= column->inner_high);
  if ((uint32_t)(before - 1 < 8) & (leads ^ 1) & is_inside) {
    column->decimals++;
    return 1;
  }
  return decimal(column, number, before, size - before - 1);
}

/* Whether a cell is one of the words that are no text (`survey.Tables`), in small letters or capitals. */
static int is_word(const uint8_t *cell, uint32_t width) {
  static const char WORDS[][8] = {"null    ", "none    ", "n/a     ", "na      ", "nan     ", "true    ",
                                  "false   ", "yes     ", "no      ", "inf     "};
  uint64_t found, word;
  if (width > LONGEST_WORD) return 0;
  __builtin_memcpy(&found, cell, 8);
  found = (found & ((uint64_t)1 << 8 * width) - 1) | 0x2020202020202020u;
  for (uint32_t index = 0; index < sizeof WORDS / 8; index++) {
    __builtin_memcpy(&word, WORDS[index], 8);
    if (found == word) return 1;
  }
  return 0;
}

/* Whether a cell that begins with a letter is text for certain: no word, and no date that begins with a month. */
static INLINE int is_worded(const uint8_t *cell, uint32_t width) {
  if (width > 2) {
    if (!heads[(cell[0] & 31) | (cell[1] & 31) << 5 | (cell[2] & 31) << 10]) return 1;
    for (uint32_t index = 0; index < width; index++)
      if ((uint8_t)(cell[index] - '0') < 10) return 0;
  }
  return !(empties[cell[width - 1]] & BLANK) && !is_word(cell, width);
}

static INLINE int is_text(const uint8_t *cell, uint32_t width) {
  const uint8_t first = firsts[*cell];
  return width > MOST_TEXT || first == TEXT || (first == BY_THREE && is_worded(cell, width));
}

/* Whether a cell of a text is neither white space nor a word for nothing, with or without white space around it. */
static INLINE int is_something(const uint8_t *cell, uint32_t width) {
  const uint8_t first = empties[*cell];
  if (!first || first & BLANK) return !first;
  if (empties[cell[width - 1]] & BLANK) return 0;
  return width > LONGEST_WORD || (firsts[*cell] == BY_THREE && !is_word(cell, width));
}

static INLINE int order(const uint8_t *one, const uint8_t *other, uint32_t width) {
  for (uint32_t index = 0; index < width; index++)
    if (one[index] != other[index]) return one[index] < other[index] ? -1 : 1;
  return 0;
}

static INLINE int stamp(column_t *column, const uint8_t *cell, uint32_t width) {
  if (width != column->width) return 0;
  for (uint32_t done = 0; done < width; done += 16) {
    v128_t bytes = wasm_v128_load(cell + done);
    v128_t is_digit = wasm_u8x16_lt(wasm_i8x16_sub(bytes, wasm_i8x16_splat('0')), wasm_i8x16_splat(10));
    v128_t shape = wasm_v128_bitselect(wasm_i8x16_splat('0'), bytes, is_digit);
    uint32_t same = wasm_i8x16_bitmask(wasm_i8x16_eq(shape, wasm_v128_load(column->shape + done)));
    if (width - done < 16) same |= ~0u << (width - done);
    if (~same & 0xFFFF) return 0;
  }
  if (!column->others++) {
    note(column, LEAST_STAMP, cell, width);
    note(column, MOST_STAMP, cell, width);
  } else if (order(cell, text + column->ends_at[MOST_STAMP], width) > 0) {
    note(column, MOST_STAMP, cell, width);
  } else if (order(cell, text + column->ends_at[LEAST_STAMP], width) < 0) {
    note(column, LEAST_STAMP, cell, width);
  }
  return 1;
}

/* Looks at one column of some records. How many cells were left in all until then, `left` of them before. */
static INLINE uint32_t look(enum mode mode, uint32_t index, uint32_t width, uint32_t from, uint32_t to, uint32_t left, uint32_t most) {
  /* A copy, which the compiler keeps in registers. */
  column_t column = columns[index];
  const uint32_t has_quotes = seen.quotes, quote = quote_code;
  const uint32_t has_returns = seen.returns && index == width - 1;
  /* A range between two whole numbers has none inside. */
  const int has_integers = column.low_integer <= column.high_integer;
  const uint64_t low = has_integers ? column.low_integer : INT64_MAX;
  const uint64_t span = has_integers ? column.high_integer - column.low_integer : 0;
  uint32_t short_integers = 0;
  for (uint32_t field = from * width + index; field < to * width; field += width) {
    uint32_t start = field_ends[(int32_t)field - 1] + 1, end = field_ends[field];
    if (has_returns && end > start && text[end - 1] == '\r') end--;
    if (has_quotes) {
      const uint32_t is_quoted = (text[start] == quote) & (end - start > 1);
      start += is_quoted;
      end -= is_quoted;
    }
    const uint8_t *cell = text + start;
    const uint32_t size = end - start;
    int is_known = 0;
    if (mode == NUMBERS) {
      /* Most are short, whole and inside the range: told at once, without a question before. */
      const uint64_t digits = first_digits(cell, size);
      const uint32_t leads = (*cell == '0') & (size > 1);
      const uint32_t is_inside = value_of(digits) - low <= span;
      if ((uint32_t)(size - 1 < 8) & (uint32_t)(odd_bits(digits) == 0) & (leads ^ 1) & is_inside) {
        short_integers++;
        continue;
      }
    }
    if (!size || (size == 2 && cell[0] == '\\' && (cell[1] | 0x20) == 'n')) {
      column.empty++; /* nothing, or what database tools write for it */
      continue;
    }
    if (mode == NUMBERS) {
      is_known = number(&column, cell, size);
      if (!is_known) column.others += is_known = is_text(cell, size);
    }
    if (mode == TEXTS) column.others += is_known = is_text(cell, size);
    if (mode == ANY_TEXTS) column.others += is_known = is_something(cell, size);
    if (mode == STAMPS) is_known = stamp(&column, cell, size);
    if (is_known) continue;
    if (++column.left > most || left == MOST_LEFT) {
      column.mode = SKIP;
      break;
    }
    left_cells[left++] = (left_t){index, start, end};
  }
  column.integers += short_integers;
  columns[index] = column;
  return left;
}

/* Looks at the cells of the records that `find` found, as the modes of `columns` say. How many cells were left: where they
 * are is in `left_cells`. A column of which too much is left becomes one to be skipped: nothing that is said of it counts. */
EXPORT(survey) uint32_t survey(uint32_t rows, uint32_t width) {
  const uint32_t most = rows / 4 + 8;
  uint32_t left = 0;
  for (uint32_t index = 0; index < width; index++) look_inside(columns + index);
  /* Few records at a time, column by column: what is in the cache stays there, and what to do is the same for a while. */
  for (uint32_t from = 0; from < rows; from += ROWS_AT_ONCE) {
    const uint32_t to = from + ROWS_AT_ONCE < rows ? from + ROWS_AT_ONCE : rows;
    for (uint32_t index = 0; index < width; index++) {
      switch (columns[index].mode) {
        case NUMBERS: left = look(NUMBERS, index, width, from, to, left, most); break;
        case TEXTS: left = look(TEXTS, index, width, from, to, left, most); break;
        case ANY_TEXTS: left = look(ANY_TEXTS, index, width, from, to, left, most); break;
        case STAMPS: left = look(STAMPS, index, width, from, to, left, most); break;
        case NOTHING: left = look(NOTHING, index, width, from, to, left, most); break;
      }
    }
  }
  return left;
}
