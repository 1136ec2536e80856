/*
 * Messages of results (SARIF.md S14, S15): the text that a message has, or that it names by an id
 * of its rule's messages, with its arguments, and the same without links to locations. It must not
 * become longer than a record may be.
 */
#include "sarif/run.h"

/* A message while its text is made. */
struct making {
	uint64_t most; /* bytes of the text */
	struct rt_sarif_message *message;
	struct rt_sarif_fault *fault;
	const char *at; /* what a fault is about: the message */
};

/* Append to a text, no further than it may be long. */
static void put(struct making *m, struct rt_buf *out, const char *bytes, size_t len)
{
	if (m->fault->status != RT_OK)
		return;
	if (len <= m->most && out->len <= m->most - len) {
		m->fault->status = rt_buf_append(out, bytes, len, &m->fault->err);
		return;
	}
	rt_sarif_refuse_limit(m->fault, "the message exceeds --limit record");
	m->fault->at = m->at;
}

/* Append what a string stands for. */
static void put_string(struct making *m, struct rt_buf *out, struct rt_slice string)
{
	struct rt_slice text = rt_sarif_decode(string, &m->message->room, m->fault);

	put(m, out, text.ptr, text.len);
}

/* --- Where the text is ------------------------------------------------------------------------ */

/* The message of that id, of a kind and owner; NULL: none. */
static const struct rt_sarif_forms *forms_find(const struct rt_sarif_run *run,
					       enum rt_sarif_kind kind, uint32_t owner,
					       struct rt_slice id)
{
	uint32_t number;

	if (!rt_sarif_names_find(run, kind, owner, id, &number))
		return NULL;
	return (const struct rt_sarif_forms *)(const void *)run->messages.data + number;
}

/* The string that the text is made from; absent: none. *ret_plain: it is plain text. */
static struct rt_slice string_choose(const struct rt_sarif_run *run,
				     const struct rt_sarif_rule_found *found,
				     const struct rt_slice *said, struct rt_buf *room,
				     bool *ret_plain, struct rt_sarif_fault *fault)
{
	const struct rt_sarif_forms *forms[2] = {NULL, NULL};
	struct rt_slice string = said[RT_SARIF_MESSAGE_TEXT], id;

	*ret_plain = true;
	if (string.ptr)
		return string;
	id = rt_sarif_decode(said[RT_SARIF_MESSAGE_ID], room, fault);
	/* A rule's messages are before those of its component. */
	if (id.ptr && found->rule)
		forms[0] = forms_find(run, RT_SARIF_N_MESSAGE,
				      (uint32_t)(found->rule - rt_sarif_rules(run)), id);
	if (id.ptr)
		forms[1] = forms_find(run, RT_SARIF_N_GLOBAL, found->component->number, id);
	for (size_t form = 0; form < RT_SARIF_FORMS && !string.ptr; form++) {
		*ret_plain = form == RT_SARIF_FORM_TEXT;
		if (form == RT_SARIF_FORM_MARKDOWN)
			string = said[RT_SARIF_MESSAGE_MARKDOWN];
		for (size_t i = 0; i < 2 && !string.ptr; i++) {
			if (forms[i])
				string = forms[i]->strings[form];
		}
	}
	return string;
}

/* --- Arguments -------------------------------------------------------------------------------- */

/* List the arguments: struct rt_slice in the message's buffer. */
static void arguments_list(struct making *m, struct rt_slice list)
{
	struct rt_buf *arguments = &m->message->arguments;
	struct rt_items items;
	struct rt_item item;

	arguments->len = 0;
	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, m->fault)) {
		rt_sarif_is(item.value, RT_SARIF_STRING, "message.arguments", m->fault);
		(void)rt_sarif_goes(m->fault, rt_buf_append(arguments, &item.value,
							    sizeof(item.value), &m->fault->err));
	}
}

/* The argument that "{n}" at `at` names: its string, absent where there is no such argument.
 * Returns the byte after the '}'; NULL: it is no "{n}". */
static const char *argument_at(const struct making *m, const char *at, const char *end,
			       struct rt_slice *ret_string)
{
	const struct rt_buf *arguments = &m->message->arguments;
	size_t count = arguments->len / sizeof(*ret_string), number = 0;
	const char *digits = ++at;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		/* What is too large stays too large. */
		if (number < count)
			number = number * 10 + (size_t)(*at - '0');
	}
	if (at == digits || at == end || *at != '}')
		return NULL;
	if (number < count)
		memcpy(ret_string, arguments->data + number * sizeof(*ret_string),
		       sizeof(*ret_string));
	return at + 1;
}

/* Append a template with its arguments in place. */
static void substitute(struct making *m, struct rt_slice template, struct rt_buf *out)
{
	const char *at = template.ptr, *end = rt_slice_end(template), *plain = at;

	while (at && at < end && m->fault->status == RT_OK) {
		struct rt_slice argument = {NULL, 0};
		bool doubled = (*at == '{' || *at == '}') && end - at >= 2 && at[1] == *at;
		const char *from = at++;

		if (*from == '{' && !doubled) {
			const char *after = argument_at(m, from, end, &argument);

			at = after ? after : at;
		}
		if (!doubled && !argument.ptr)
			continue;
		/* Of a doubled brace the first one is text. */
		put(m, out, plain, (size_t)(from - plain) + doubled);
		if (argument.ptr)
			put_string(m, out, argument);
		at += doubled;
		plain = at;
	}
	put(m, out, plain, (size_t)(end - plain));
}

/* The id and its arguments, where the id is not found. */
static void id_put(struct making *m, struct rt_slice id, struct rt_buf *out)
{
	const struct rt_buf *arguments = &m->message->arguments;
	struct rt_slice string;

	put_string(m, out, id);
	for (size_t i = 0; i < arguments->len && m->fault->status == RT_OK; i += sizeof(string)) {
		memcpy(&string, arguments->data + i, sizeof(string));
		put(m, out, " ", 1);
		put_string(m, out, string);
	}
}

/* --- Links (S15) ------------------------------------------------------------------------------ */

/* The end of "(7)" at `at`; NULL: something else is there. */
static const char *target_end(const char *at, const char *end)
{
	const char *digits = at + 1;

	if (at == end || *at != '(')
		return NULL;
	for (at = digits; at < end && *at >= '0' && *at <= '9'; at++)
		;
	return at > digits && at < end && *at == ')' ? at + 1 : NULL;
}

/* The first bracket that is not quoted, from `at` on, or end. */
static const char *bracket_find(const char *at, const char *end)
{
	while (at < end && *at != '[' && *at != ']')
		at += *at == '\\' && end - at >= 2 ? 2 : 1;
	return at;
}

/* Append the text of a link without the backslashes that quote; there is room for it. */
static void link_put(struct rt_buf *out, const char *at, const char *end)
{
	while (at < end) {
		if (*at == '\\' && end - at >= 2 && (at[1] == '[' || at[1] == ']' || at[1] == '\\'))
			at++;
		out->data[out->len++] = *at++;
	}
}

/* Append bytes that there is room for. */
static void piece_put(struct rt_buf *out, const char *at, size_t len)
{
	memcpy(out->data + out->len, at, len);
	out->len += len;
}

/* Append a text without its links to locations. It has bytes. */
static void links_drop(struct rt_slice text, struct rt_buf *out, struct rt_sarif_fault *fault)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	if (!rt_sarif_goes(fault, rt_buf_reserve(out, text.len, &fault->err)))
		return;
	while (at < end) {
		const char *open = bracket_find(at, end), *close, *after = NULL;

		piece_put(out, at, (size_t)(open - at));
		if (open == end)
			break;
		at = open + 1;
		close = *open == '[' ? bracket_find(at, end) : end;
		if (close < end && *close == ']')
			after = target_end(close + 1, end);
		if (after) {
			link_put(out, at, close);
			at = after;
		} else {
			piece_put(out, open, 1);
		}
	}
}

/* Whether a string may have a bracket in it, spelled as it is or as an escape. */
static bool may_have_link(struct rt_slice string)
{
	const char *at = string.ptr, *end = rt_slice_end(string);

	if (memchr(at, '[', string.len))
		return true;
	/* A backslash is followed by its letter, and \u by four digits. */
	while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
		if (at[1] == 'u' && memcmp(at + 2, "005", 3) == 0)
			return true;
		at += 2;
	}
	return false;
}

/* --- The whole -------------------------------------------------------------------------------- */

/* Make both texts of a string. */
static void texts_make(struct making *m, struct rt_slice string, bool arguments, bool plain)
{
	struct rt_sarif_message *message = m->message;
	struct rt_slice template = rt_sarif_decode(string, &message->shown, m->fault);

	if (arguments)
		substitute(m, template, &message->text);
	else
		put(m, &message->text, template.ptr, template.len);
	message->shown.len = 0;
	if (plain && message->text.len)
		links_drop(rt_buf_slice(&message->text), &message->shown, m->fault);
	else
		put(m, &message->shown, message->text.data, message->text.len);
}

void rt_sarif_arguments_check(struct rt_slice arguments, struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, arguments);
	while (rt_sarif_next_item(&items, &item, fault))
		rt_sarif_is(item.value, RT_SARIF_STRING, "message.arguments", fault);
}

void rt_sarif_message_make(const struct rt_sarif_run *run, const struct rt_sarif_rule_found *found,
			   struct rt_slice object, const struct rt_slice *said,
			   struct rt_sarif_message *message, struct rt_sarif_notes *notes,
			   struct rt_sarif_fault *fault)
{
	struct making m = {run->record_bytes, message, fault, object.ptr};
	struct rt_slice string;
	bool plain;

	message->json = rt_slice_make(NULL, 0);
	message->text.len = message->shown.len = 0;
	arguments_list(&m, said[RT_SARIF_MESSAGE_ARGUMENTS]);
	string = string_choose(run, found, said, &message->room, &plain, fault);
	message->none = !string.ptr && !said[RT_SARIF_MESSAGE_ID].ptr;
	if (fault->status != RT_OK || message->none)
		return;
	if (!string.ptr) {
		notes->counts[RT_SARIF_NOTE_MESSAGE]++;
		id_put(&m, said[RT_SARIF_MESSAGE_ID], &message->text);
		put(&m, &message->shown, message->text.data, message->text.len);
	} else if (!said[RT_SARIF_MESSAGE_ARGUMENTS].ptr && !(plain && may_have_link(string))) {
		message->json = string;
	} else {
		texts_make(&m, string, said[RT_SARIF_MESSAGE_ARGUMENTS].ptr, plain);
	}
}

void rt_sarif_message_release(struct rt_sarif_message *message)
{
	rt_buf_release(&message->text);
	rt_buf_release(&message->shown);
	rt_buf_release(&message->arguments);
	rt_buf_release(&message->room);
}
