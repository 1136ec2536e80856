/*
 * The raw material of generated exports: a small random generator and text made of templates.
 */
#ifndef RT_TESTS_BENCH_GEN_TEXT_H
#define RT_TESTS_BENCH_GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A splitmix64 sequence: the same numbers on every machine. Any state is a good one. */
struct gen_random {
	uint64_t state;
};

/* A sequence of its own for (seed, stream): streams do not overlap in practice. */
struct gen_random gen_random_make(uint64_t seed, uint64_t stream);

/* The next 64 bits. */
uint64_t gen_random_next(struct gen_random *random);

/* 0 .. count - 1, count > 0, below 2^32. */
uint32_t gen_below(struct gen_random *random, uint32_t count);

/* True in `in` of 1000 cases. */
bool gen_chance(struct gen_random *random, uint32_t in);

/* Bytes enough for the values of the largest record that can be made. */
#define GEN_TEXT_MAX 65536u

/* Text under construction; strings in it are NUL-terminated and start anywhere. */
struct gen_text {
	size_t len;
	char data[GEN_TEXT_MAX];
};

/* Append bytes; ends the program when the buffer is full, which is a fault of this program. */
void gen_text_add(struct gen_text *text, const char *string);

/* Append as by printf. */
void gen_text_format(struct gen_text *text, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* End the current string; its start is what text->len was before it. */
void gen_text_end(struct gen_text *text);

/* Append a title without an end mark. */
void gen_title(struct gen_text *text, struct gen_random *random);

/* Append `count` sentences, now and then with a line break between them. */
void gen_sentences(struct gen_text *text, struct gen_random *random, uint32_t count);

/* Append `count` lines of source code, each with its line break. */
void gen_code(struct gen_text *text, struct gen_random *random, uint32_t count);

/* Append a sentence outside ASCII: accents, CJK, Cyrillic, emoji. */
void gen_foreign(struct gen_text *text, struct gen_random *random);

/* Append a path of a source file. */
void gen_path(struct gen_text *text, struct gen_random *random);

/* Append one of about 150 categories, some far more often than others. */
void gen_category(struct gen_text *text, struct gen_random *random);

#endif
