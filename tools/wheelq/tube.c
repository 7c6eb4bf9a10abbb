// SPDX-License-Identifier: MIT
#include "tube.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "fail.h"

static const char name_characters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+/;.$_()";

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tube *)a)->name,
		      ((const struct tube *)b)->name);
}

static bool ready_before(const struct heap_node *a, const struct heap_node *b)
{
	const struct job *ja = container_of(a, struct job, heap);
	const struct job *jb = container_of(b, struct job, heap);
	struct job_key ka = job_key(&ja->rec), kb = job_key(&jb->rec);

	return job_key_before(&ka, &kb);
}

static bool later(const struct heap_node *a, const struct heap_node *b)
{
	struct job_key ka = job_key(&container_of(a, struct job, latest)->rec);
	struct job_key kb = job_key(&container_of(b, struct job, latest)->rec);

	return job_key_before(&kb, &ka);
}

static bool far_before(const struct heap_node *a, const struct heap_node *b)
{
	return job_key_before(&container_of(a, struct far, node)->key,
			      &container_of(b, struct far, node)->key);
}

void tubes_init(struct tubes *tubes)
{
	int state;

	*tubes = (struct tubes){ .next = 1 };
	for (state = 0; state < JOB_STATES; state++) {
		tubes->far[state].before = far_before;
		tubes->latest[state].before = later;
	}
	TAILQ_INIT(&tubes->list);
	TAILQ_INIT(&tubes->changed);
	TAILQ_INIT(&tubes->partly);
	TAILQ_INIT(&tubes->hot);
}

bool tube_name_is_good(const char *name)
{
	size_t length = strlen(name);

	return length && length <= TUBE_NAME_MAX && *name != '-' &&
	       strspn(name, name_characters) == length;
}

/* A good name. */
static void tube_set_name(struct tube *tube, const char *name)
{
	memcpy(tube->name, name, strlen(name) + 1);
}

struct tube *tube_find(struct tubes *tubes, const char *name)
{
	struct tube wanted;
	struct tube **found;

	tube_set_name(&wanted, name);
	found = tfind(&wanted, &tubes->by_name, by_name);
	return found ? *found : NULL;
}

struct tube *tube_numbered(const struct tubes *tubes, uint64_t number)
{
	struct table_entry *entry = table_find(&tubes->by_number, number);

	return entry ? container_of(entry, struct tube, entry) : NULL;
}

struct tube *tube_make(struct tubes *tubes, const char *name, uint64_t number)
{
	struct tube *tube = zeroed(1, sizeof(*tube));
	int state;

	tube_set_name(tube, name);
	tube->number = number ? number : tubes->next;
	if (tube->number >= tubes->next)
		tubes->next = tube->number + 1;
	tube->tubes = tubes;
	tube->ready.before = ready_before;
	for (state = 0; state < JOB_STATES; state++)
		tube->far[state].key = JOB_KEY_LAST;
	TAILQ_INIT(&tube->waiting);
	if (!tsearch(tube, &tubes->by_name, by_name))
		fail(EXIT_FAILED, "out of memory");
	TAILQ_INSERT_TAIL(&tubes->list, tube, all);
	table_add(&tubes->by_number, &tube->entry, tube->number);
	tubes->count++;
	return tube;
}

static bool is_last(const struct job_key *key)
{
	return key->id == UINT64_MAX;
}

void tube_set_far(struct tube *tube, enum job_state state, struct job_key key)
{
	struct heap *heap = &tube->tubes->far[state];
	struct far *far = &tube->far[state];

	if (!is_last(&far->key))
		heap_remove(heap, &far->node);
	far->key = key;
	if (!is_last(&key))
		heap_add(heap, &far->node);
}

struct tube *tube_first_far(const struct tubes *tubes, enum job_state state)
{
	struct heap_node *first = heap_first(&tubes->far[state]);

	return first ? container_of(first, struct tube, far[state].node) : NULL;
}

static void tube_free(struct tube *tube)
{
	struct tubes *tubes = tube->tubes;
	int state;

	for (state = 0; state < JOB_STATES; state++)
		tube_set_far(tube, state, JOB_KEY_LAST);
	tdelete(tube, &tubes->by_name, by_name);
	TAILQ_REMOVE(&tubes->list, tube, all);
	table_remove(&tubes->by_number, &tube->entry);
	tubes->count--;
	if (tube->is_hot)
		TAILQ_REMOVE(&tubes->hot, tube, hot);
	if (tube->is_partly)
		TAILQ_REMOVE(&tubes->partly, tube, partly);
	heap_clear(&tube->ready);
	free(tube);
}

/* A tube that the store has to hear of stays until it has. */
void tube_drop(struct tube *tube)
{
	if (!tube_jobs(tube->jobs) && !tube->users && !tube->watchers &&
	    !tube->has_changed && !tube->paused_until && !tube->stays)
		tube_free(tube);
}

void tubes_clear(struct tubes *tubes)
{
	int state;

	while (!TAILQ_EMPTY(&tubes->list))
		tube_free(TAILQ_FIRST(&tubes->list));
	for (state = 0; state < JOB_STATES; state++) {
		heap_clear(&tubes->far[state]);
		heap_clear(&tubes->latest[state]);
	}
	table_clear(&tubes->by_number);
}

void tube_count(struct tube *tube, enum job_state state, int64_t more)
{
	tube->jobs[state] += more;
	tube->tubes->jobs[state] += more;
}

static void has_changed(struct tube *tube)
{
	if (!tube->has_changed)
		TAILQ_INSERT_TAIL(&tube->tubes->changed, tube, changed);
	tube->has_changed = true;
}

void tube_count_stored(struct tube *tube, uint64_t id, enum job_state from,
		       enum job_state to)
{
	bool is_counted = id < tube->tubes->counted;

	tube->stored[from]--;
	tube->stored[to]++;
	if (!is_counted) {
		tube_count_partly(tube, from, -1);
		tube_count_partly(tube, to, 1);
	}
	/* The store knows the tubes of which it has jobs, and no others. */
	if (is_counted || tube->is_stored != !!tube_jobs(tube->stored))
		has_changed(tube);
}

void tube_count_partly(struct tube *tube, enum job_state state, int64_t more)
{
	tube->uncounted[state] += more;
	if (!tube->is_partly)
		TAILQ_INSERT_TAIL(&tube->tubes->partly, tube, partly);
	tube->is_partly = true;
}

void tubes_count_until(struct tubes *tubes, uint64_t id)
{
	struct tube *tube;

	tubes->counted = id;
	while ((tube = TAILQ_FIRST(&tubes->partly))) {
		TAILQ_REMOVE(&tubes->partly, tube, partly);
		tube->is_partly = false;
		memset(tube->uncounted, 0, sizeof(tube->uncounted));
		if (tube->is_stored)
			has_changed(tube);
	}
}

/* JOB_NONE is no state of jobs that are there. */
uint64_t tube_jobs(const uint64_t *jobs)
{
	uint64_t sum = 0;
	int state;

	for (state = JOB_NONE + 1; state < JOB_STATES; state++)
		sum += jobs[state];
	return sum;
}

void tube_heat(struct tube *tube)
{
	if (tube->is_hot || TAILQ_EMPTY(&tube->waiting))
		return;
	TAILQ_INSERT_TAIL(&tube->tubes->hot, tube, hot);
	tube->is_hot = true;
}
