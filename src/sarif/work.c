/*
 * Works on one result. Input: its checked text and the tables of its run. Output: its identity, its
 * record with the places that it comes from, counts of what is worth a note. Refuses what the files
 * of results refuse.
 */
#include "sarif/work.h"

#include "sarif/entry.h"

void rt_sarif_worker_release(struct rt_sarif_worker *worker)
{
	rt_buf_release(&worker->made);
}

static struct rt_place place_of(const struct rt_sarif_spot *spot, uint64_t skipped)
{
	return (struct rt_place){spot->line, spot->offset - spot->line_start + 1,
				 spot->offset + skipped};
}

enum rt_status rt_sarif_record_make(struct rt_sarif_maker *maker, const struct rt_sarif_task *task,
				    struct rt_slice value, const struct rt_sarif_spot *spot,
				    struct rt_buf *text, struct rt_sarif_notes *notes,
				    struct rt_sarif_made_record *ret_record,
				    struct rt_sarif_fault *fault)
{
	struct rt_sarif_spot last = *spot;
	struct rt_sarif_marks marks;
	size_t from = text->len;
	enum rt_status status;

	status = rt_sarif_result_write(maker, task->run, text, &ret_record->values, &marks, notes,
				       fault);
	if (status != RT_OK)
		return status;
	ret_record->text = rt_slice_make(text->data + from, text->len - from);
	ret_record->place = place_of(&last, task->skipped);
	ret_record->mark_count = 0;
	for (size_t i = 0; i < marks.count; i++) {
		struct rt_sarif_spot in = rt_sarif_spot_in(spot, value.ptr, marks.marks[i].from);

		/* Places rise with the text; a piece that stands earlier shares that before it. */
		if (in.offset < last.offset)
			continue;
		last = in;
		ret_record->marks[ret_record->mark_count++] =
		    (struct rt_sarif_made_mark){marks.marks[i].value, place_of(&in, task->skipped)};
	}
	return RT_OK;
}

/* Make the record of an issue at the end of what is kept. Returns false where it cannot be. */
static bool make(struct rt_sarif_worker *worker, const struct rt_sarif_task *task,
		 struct rt_slice value, const struct rt_sarif_spot *spot)
{
	struct rt_buf *made = &worker->made;
	struct rt_sarif_made_record record;
	struct rt_sarif_fault unmade;
	size_t at = made->len;

	if (rt_sarif_made_begin(made) &&
	    rt_sarif_record_make(worker->maker, task, value, spot, made, &worker->made_notes,
				 &record, &unmade) == RT_OK &&
	    rt_sarif_made_end(made, at, &record))
		return true;
	made->len = at;
	return false;
}

/* Identify an issue, and make its record. */
static enum rt_status identify(struct rt_sarif_worker *worker, const struct rt_sarif_task *task,
			       struct rt_slice value, const struct rt_sarif_spot *spot,
			       struct rt_sarif_done *done, struct rt_sarif_fault *fault)
{
	enum rt_status status =
	    rt_sarif_result_identify(worker->maker, task->run, &done->identity, fault);

	if (status == RT_REJECT && task->check)
		return RT_OK;
	done->identified = status == RT_OK;
	if (status == RT_OK && task->make)
		done->made = make(worker, task, value, spot);
	return status;
}

/* Read a result. *value: becomes what its places are in. */
static enum rt_status read_result(struct rt_sarif_worker *worker, const struct rt_sarif_task *task,
				  struct rt_slice *value, bool *ret_issue,
				  struct rt_sarif_fault *fault)
{
	struct rt_sarif_notes told = {{0}}, *notes = task->check ? &worker->notes : &told;
	enum rt_status status;

	if (task->entry)
		status = rt_sarif_entry_read(worker->maker, task->run, *value, value, ret_issue,
					     notes, fault);
	else
		status =
		    rt_sarif_result_read(worker->maker, task->run, *value, ret_issue, notes, fault);
	/* What is wrong with the result itself was told when it was checked. */
	if (status == RT_REJECT && !task->check) {
		*ret_issue = false;
		return RT_OK;
	}
	return status;
}

enum rt_status rt_sarif_work(struct rt_sarif_worker *worker, const struct rt_sarif_task *task,
			     struct rt_slice value, const struct rt_sarif_spot *spot,
			     struct rt_sarif_done *ret_done, struct rt_sarif_fault *fault)
{
	/* A fault of an entry has no place: whoever reads it again finds the first one. So it is
	 * checked last, and no more than is left to check. */
	bool last = task->entry && task->identify;
	enum rt_status status;

	*ret_done = (struct rt_sarif_done){.issue = false};
	status = read_result(worker, task, &value, &ret_done->issue, fault);
	if (status != RT_OK || !ret_done->issue)
		return status;
	if (task->check && !last)
		status = rt_sarif_result_check(worker->maker, false, fault);
	if (status == RT_OK && task->identify)
		status = identify(worker, task, value, spot, ret_done, fault);
	if (status == RT_OK && task->check && last)
		status = rt_sarif_result_check(worker->maker, ret_done->identified, fault);
	return status;
}
