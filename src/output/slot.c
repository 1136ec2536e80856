/*
 * Walks templates.
 */
#include "output/slot.h"

#include <assert.h>

bool rt_fill_next(struct rt_fill *f)
{
	size_t len = strcspn(f->form, "%");
	char mark;

	if (!*f->form) {
		assert(f->slots->kind == RT_SLOT_END && !f->depth);
		return false;
	}
	f->text = rt_slice_make(f->form, f->off ? 0 : len);
	f->form += len;
	f->mark = '\0';
	if (!*f->form)
		return true;
	mark = f->form[1];
	f->form += 2;
	if (mark == '|') {
		f->off = !f->off ? f->depth : f->off == f->depth ? 0 : f->off;
		return true;
	}
	if (mark == ')') {
		f->off = f->off == f->depth ? 0 : f->off;
		f->depth--;
		return true;
	}
	f->slot = f->slots++;
	if (mark == '(') {
		assert(f->slot->kind == RT_SLOT_NUMBER);
		f->depth++;
		f->off = !f->off && !f->slot->number ? f->depth : f->off;
	} else if (!f->off) {
		f->mark = mark;
	}
	return true;
}
