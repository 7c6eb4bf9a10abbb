// SPDX-License-Identifier: MIT
/*
 * A store in memory: one array with the committed state, and one with the current state.
 */
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "memory.h"

/**
 * struct row - a stored job
 * @rec: its record
 * @key: its key, or empty
 * @body: its body
 */
struct row {
	struct job_record rec;
	char key[JOB_KEY_MAX + 1];
	char *body;
};

/**
 * struct stored_tube - a stored tube
 * @tube: the tube; @tube.name points to @name
 * @name: its name
 */
struct stored_tube {
	struct store_tube tube;
	char name[TUBE_NAME_MAX + 1];
};

#define ROWS	4096
#define TUBES	16

/**
 * struct image - a state of the store
 * @rows: jobs
 * @count: number of jobs
 * @tubes: tubes
 * @tube_count: number of tubes
 * @numbers: values of the whole queue
 */
struct image {
	struct row rows[ROWS];
	size_t count;
	struct stored_tube tubes[TUBES];
	size_t tube_count;
	struct store_numbers numbers;
};

struct memory {
	struct image kept;
};

struct memory_store {
	struct store store;
	struct memory *memory;
	struct image image;
};

static struct memory_store *of(struct store *store)
{
	return (struct memory_store *)store;
}

static void image_clear(struct image *image)
{
	size_t i;

	for (i = 0; i < image->count; i++)
		free(image->rows[i].body);
	memset(image, 0, sizeof(*image));
}

static void image_copy(struct image *to, const struct image *from)
{
	size_t i;

	image_clear(to);
	*to = *from;
	for (i = 0; i < to->count; i++) {
		size_t size = to->rows[i].rec.size;

		to->rows[i].body = zeroed(1, size + 1);
		memcpy(to->rows[i].body, from->rows[i].body, size);
	}
	for (i = 0; i < to->tube_count; i++)
		to->tubes[i].tube.name = to->tubes[i].name;
}

static struct row *find(struct store *store, uint64_t id)
{
	struct image *image = &of(store)->image;
	size_t i;

	for (i = 0; i < image->count; i++)
		if (image->rows[i].rec.id == id)
			return &image->rows[i];
	return NULL;
}

static struct row *must_find(struct store *store, uint64_t id)
{
	struct row *row = find(store, id);

	if (!row)
		fail(EXIT_FAILED, "job %llu is not in the store",
		     (unsigned long long)id);
	return row;
}

static void memory_close(struct store *store)
{
	image_clear(&of(store)->image);
	free(store);
}

static void memory_numbers(struct store *store, struct store_numbers *numbers)
{
	*numbers = of(store)->image.numbers;
}

static void memory_set_numbers(struct store *store,
			       const struct store_numbers *numbers)
{
	of(store)->image.numbers = *numbers;
}

static void memory_tubes(struct store *store, void *context,
			 void (*found)(void *context,
				       const struct store_tube *tube))
{
	struct image *image = &of(store)->image;
	size_t i;

	for (i = 0; i < image->tube_count; i++)
		found(context, &image->tubes[i].tube);
}

static void memory_set_tube(struct store *store, struct store_tube *tube)
{
	struct image *image = &of(store)->image;
	struct stored_tube *to;
	size_t i;

	for (i = 0; i < image->tube_count; i++)
		if (image->tubes[i].tube.number == tube->number)
			break;
	if (i == TUBES)
		fail(EXIT_FAILED, "too many tubes for this store");
	to = &image->tubes[i];
	if (i == image->tube_count)
		image->tube_count++;
	to->tube = *tube;
	memcpy(to->name, tube->name, strlen(tube->name) + 1);
	to->tube.name = to->name;
	if (tube->is_gone) {
		*to = image->tubes[--image->tube_count];
		to->tube.name = to->name;
	}
}

static void memory_count(struct store *store, uint64_t id, void *context,
			 void (*found)(void *context, uint64_t tube,
				       enum job_state state, uint64_t jobs))
{
	struct image *image = &of(store)->image;
	size_t i;

	for (i = 0; i < image->count; i++) {
		const struct job_record *rec = &image->rows[i].rec;

		if (rec->id >= id)
			found(context, rec->tube, rec->state, 1);
	}
}

static void memory_put(struct store *store, const struct job_record *rec,
		       const void *body)
{
	struct image *image = &of(store)->image;
	struct row *row = &image->rows[image->count++];

	if (image->count > ROWS)
		fail(EXIT_FAILED, "too many jobs for this store");
	row->rec = *rec;
	*row->key = '\0';
	row->body = zeroed(1, rec->size + 1);
	memcpy(row->body, body, rec->size);
}

static void memory_change(struct store *store, const struct job_record *rec)
{
	must_find(store, rec->id)->rec = *rec;
}

static void memory_remove(struct store *store, const struct job_record *rec)
{
	struct image *image = &of(store)->image;
	struct row *row = must_find(store, rec->id);

	free(row->body);
	*row = image->rows[--image->count];
}

static void memory_set_key(struct store *store, uint64_t id, const char *key)
{
	char *to = must_find(store, id)->key;

	memset(to, 0, JOB_KEY_MAX + 1);
	if (key)
		memcpy(to, key, strlen(key));
}

static uint64_t memory_find_key(struct store *store, uint64_t tube,
				const char *key)
{
	struct image *image = &of(store)->image;
	size_t i;

	for (i = 0; i < image->count; i++)
		if (image->rows[i].rec.tube == tube &&
		    !strcmp(image->rows[i].key, key))
			return image->rows[i].rec.id;
	return 0;
}

static bool memory_get(struct store *store, uint64_t id, struct job_record *rec)
{
	struct row *row = find(store, id);

	if (row)
		*rec = row->rec;
	return row;
}

static bool memory_body(struct store *store, uint64_t id, void *body,
			size_t size)
{
	memcpy(body, must_find(store, id)->body, size);
	return true;
}

static int by_key(const void *a, const void *b)
{
	struct job_key ka = job_key(a), kb = job_key(b);

	return job_key_before(&ka, &kb) ? -1 : job_key_before(&kb, &ka);
}

static size_t memory_scan(struct store *store, uint64_t tube,
			  enum job_state state, const struct job_key *from,
			  struct job_record *recs, size_t count)
{
	static struct job_record all[ROWS];
	struct image *image = &of(store)->image;
	size_t i, found = 0;

	for (i = 0; i < image->count; i++) {
		const struct job_record *rec = &image->rows[i].rec;
		struct job_key key = job_key(rec);

		if (rec->tube == tube && rec->state == state &&
		    !job_key_before(&key, from))
			all[found++] = *rec;
	}
	qsort(all, found, sizeof(*all), by_key);
	if (found > count)
		found = count;
	memcpy(recs, all, found * sizeof(*recs));
	return found;
}

static void memory_commit(struct store *store)
{
	image_copy(&of(store)->memory->kept, &of(store)->image);
}

static uint64_t memory_bytes(struct store *store)
{
	return of(store)->image.count * sizeof(struct row);
}

static const struct store_ops memory_ops = {
	.close = memory_close,
	.numbers = memory_numbers,
	.set_numbers = memory_set_numbers,
	.tubes = memory_tubes,
	.set_tube = memory_set_tube,
	.count = memory_count,
	.put = memory_put,
	.change = memory_change,
	.remove = memory_remove,
	.set_key = memory_set_key,
	.find_key = memory_find_key,
	.get = memory_get,
	.body = memory_body,
	.scan = memory_scan,
	.commit = memory_commit,
	.bytes = memory_bytes,
};

struct store *memory_open(struct memory **keep)
{
	struct memory_store *m = zeroed(1, sizeof(*m));

	if (!*keep) {
		*keep = zeroed(1, sizeof(**keep));
		(*keep)->kept.numbers = (struct store_numbers){
			.next_id = 1, .counted = 1,
		};
	}
	m->store.ops = &memory_ops;
	m->memory = *keep;
	image_copy(&m->image, &(*keep)->kept);
	return &m->store;
}

void memory_forget(struct memory **keep)
{
	if (*keep)
		image_clear(&(*keep)->kept);
	free(*keep);
	*keep = NULL;
}
