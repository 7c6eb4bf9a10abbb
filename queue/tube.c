// SPDX-License-Identifier: MIT
#include "tube.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fail.h"

#define URGENT_BELOW	1024

static const char name_characters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-+/;.$_()";

static const char *const state_names[JOB_STATES] = {
	[JOB_DELAYED] = "delayed",
	[JOB_TIMED] = "delayed",
	[JOB_READY] = "ready",
	[JOB_RESERVED] = "reserved",
	[JOB_BURIED] = "buried",
};

const char *job_state_name(enum job_state state)
{
	return state_names[state];
}

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

static bool on_disk_before(const struct heap_node *a, const struct heap_node *b)
{
	return job_key_before(&container_of(a, struct on_disk, node)->key,
			      &container_of(b, struct on_disk, node)->key);
}

void tubes_init(struct tubes *tubes)
{
	int state;

	*tubes = (struct tubes){ .next = 1 };
	for (state = 0; state < JOB_STATES; state++) {
		tubes->on_disk[state].before = on_disk_before;
		tubes->latest[state].before = later;
	}
	TAILQ_INIT(&tubes->list);
	TAILQ_INIT(&tubes->changed);
	TAILQ_INIT(&tubes->with_uncounted);
	TAILQ_INIT(&tubes->pending);
}

bool tube_name_is_good(const char *name)
{
	size_t length = strlen(name);

	return length && length <= TUBE_NAME_MAX && *name != '-' &&
	       strspn(name, name_characters) == length;
}

bool job_key_is_good(const char *key)
{
	return tube_name_is_good(key) && strlen(key) <= JOB_KEY_MAX;
}

/* The name must be valid. */
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
		tube->on_disk[state].key = JOB_KEY_LAST;
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

void tube_set_on_disk(struct tube *tube, enum job_state state, struct job_key key)
{
	struct heap *heap = &tube->tubes->on_disk[state];
	struct on_disk *on_disk = &tube->on_disk[state];

	if (!is_last(&on_disk->key))
		heap_remove(heap, &on_disk->node);
	on_disk->key = key;
	if (!is_last(&key))
		heap_add(heap, &on_disk->node);
}

struct tube *tubes_first_on_disk(const struct tubes *tubes, enum job_state state)
{
	struct heap_node *first = heap_first(&tubes->on_disk[state]);

	return first ? container_of(first, struct tube, on_disk[state].node) : NULL;
}

static void tube_free(struct tube *tube)
{
	struct tubes *tubes = tube->tubes;
	int state;

	for (state = 0; state < JOB_STATES; state++)
		tube_set_on_disk(tube, state, JOB_KEY_LAST);
	tdelete(tube, &tubes->by_name, by_name);
	TAILQ_REMOVE(&tubes->list, tube, all);
	table_remove(&tubes->by_number, &tube->entry);
	tubes->count--;
	if (tube->is_pending)
		TAILQ_REMOVE(&tubes->pending, tube, pending);
	if (tube->has_uncounted)
		TAILQ_REMOVE(&tubes->with_uncounted, tube, with_uncounted);
	heap_clear(&tube->ready);
	free(tube);
}

/* A tube with counts that must be stored is kept. */
void tube_drop(struct tube *tube)
{
	if (!tube_jobs(tube->jobs) && !tube->users && !tube->watchers &&
	    !tube->has_changed && !tube->paused_until && !tube->stays &&
	    !tube->max_reserved && !tube->max_rate)
		tube_free(tube);
}

void tubes_clear(struct tubes *tubes)
{
	int state;

	while (!TAILQ_EMPTY(&tubes->list))
		tube_free(TAILQ_FIRST(&tubes->list));
	for (state = 0; state < JOB_STATES; state++) {
		heap_clear(&tubes->on_disk[state]);
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
		tube_count_uncounted(tube, from, -1);
		tube_count_uncounted(tube, to, 1);
	}
	/* The store has only tubes with jobs. */
	if (is_counted || tube->is_stored != !!tube_jobs(tube->stored))
		has_changed(tube);
}

void tube_count_uncounted(struct tube *tube, enum job_state state, int64_t more)
{
	tube->uncounted[state] += more;
	if (!tube->has_uncounted)
		TAILQ_INSERT_TAIL(&tube->tubes->with_uncounted, tube, with_uncounted);
	tube->has_uncounted = true;
}

void tubes_count_until(struct tubes *tubes, uint64_t id)
{
	struct tube *tube;

	tubes->counted = id;
	while ((tube = TAILQ_FIRST(&tubes->with_uncounted))) {
		TAILQ_REMOVE(&tubes->with_uncounted, tube, with_uncounted);
		tube->has_uncounted = false;
		memset(tube->uncounted, 0, sizeof(tube->uncounted));
		if (tube->is_stored)
			has_changed(tube);
	}
}

/* JOB_NONE is not the state of an existing job. */
uint64_t tube_jobs(const uint64_t *jobs)
{
	uint64_t sum = 0;
	int state;

	for (state = JOB_NONE + 1; state < JOB_STATES; state++)
		sum += jobs[state];
	return sum;
}

void tube_add_pending(struct tube *tube)
{
	if (tube->is_pending || TAILQ_EMPTY(&tube->waiting))
		return;
	TAILQ_INSERT_TAIL(&tube->tubes->pending, tube, pending);
	tube->is_pending = true;
}

bool tube_is_at_limit(const struct tube *tube)
{
	return tube->max_reserved && tube->jobs[JOB_RESERVED] >= tube->max_reserved;
}

/*
 * The limit is a distance between reservations. It is compared in ms, so that several
 * reservations within one ms are possible.
 */
void tube_count_reserve(struct tube *tube, uint64_t now)
{
	if (!tube->max_rate)
		return;
	if (tube->next_reserve < now * NS_PER_MS)
		tube->next_reserve = now * NS_PER_MS;
	tube->next_reserve += 1000000 * NS_PER_MS / tube->max_rate;
}

static uint64_t is_urgent(const struct job *job)
{
	return job->rec.pri < URGENT_BELOW;
}

static struct heap *latest_of(const struct job *job)
{
	return &job->tube->tubes->latest[job->rec.state];
}

/* Update the first ready job of a tube, which is never evicted. */
static void update_first(struct tube *tube)
{
	struct job *first = tube_first_ready(tube);

	if (first == tube->first)
		return;
	if (tube->first)
		heap_add(latest_of(tube->first), &tube->first->latest);
	if (first)
		heap_remove(latest_of(first), &first->latest);
	tube->first = first;
}

void tube_add_job(struct job *job, struct tube *tube, enum job_state state)
{
	job->tube = tube;
	job->rec.tube = tube->number;
	job->rec.state = state;
	tube->tubes->loaded[state]++;
	if (state == JOB_READY)
		job->rec.rank = job->rec.pri;
	if (state <= JOB_READY)
		heap_add(latest_of(job), &job->latest);
	if (state != JOB_READY)
		return;
	heap_add(&tube->ready, &job->heap);
	update_first(tube);
	tube->urgent += is_urgent(job);
	tube_add_pending(tube);
}

void tube_remove_job(struct job *job)
{
	struct tube *tube = job->tube;

	tube->tubes->loaded[job->rec.state]--;
	if (job == tube->first)
		tube->first = NULL;
	else if (job->rec.state <= JOB_READY)
		heap_remove(latest_of(job), &job->latest);
	if (job->rec.state != JOB_READY)
		return;
	heap_remove(&tube->ready, &job->heap);
	update_first(tube);
	tube->urgent -= is_urgent(job);
}

struct job *tubes_latest(const struct tubes *tubes, enum job_state state)
{
	struct heap_node *latest = heap_first(&tubes->latest[state]);

	return latest ? container_of(latest, struct job, latest) : NULL;
}

void tube_move_job(struct job *job, enum job_state state)
{
	struct tube *tube = job->tube;

	tube_count(tube, job->rec.state, -1);
	tube_remove_job(job);
	job->rec.rank = 0;
	tube_add_job(job, tube, state);
	tube_count(tube, state, 1);
}

struct job *tube_first_ready(const struct tube *tube)
{
	struct heap_node *first = heap_first(&tube->ready);

	return first ? container_of(first, struct job, heap) : NULL;
}

void tube_count_late(struct tube *tube, uint64_t late)
{
	histogram_add(&tube->lateness, 1000 * late);
	histogram_add(&tube->tubes->lateness, 1000 * late);
}

uint64_t tube_oldest_due(const struct tube *tube, uint64_t now)
{
	size_t i;

	for (i = 0; i < tube->ready.count; i++) {
		const struct job *job = container_of(tube->ready.nodes[i], struct job, heap);

		if (job->rec.due < now)
			now = job->rec.due;
	}
	return now;
}
