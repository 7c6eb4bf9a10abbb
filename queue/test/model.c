// SPDX-License-Identifier: MIT
/*
 * Run random commands on a queue and on the oracle, with crashes. Compare their results and states,
 * for several limits on loaded jobs and stores.
 */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"

#define BODY_MAX	100
/* A small batch of ids, so that the store often has to record the next one. */
#define NUMBERS		7

/**
 * struct model - a queue and its oracle
 * @config: the configuration
 * @random: state of the random number generator
 * @queue: the queue under test
 * @workers: the workers of the queue
 * @oracle: the reference model
 * @committed: copy of the oracle at the last commit
 * @path: path of a store in a file
 * @wrong: the first expectation that failed, or NULL
 */
struct model {
	const struct model_config *config;
	uint64_t random;
	struct queue queue;
	struct worker workers[ORACLE_WORKERS];
	struct oracle oracle;
	struct oracle committed;
	char path[64];
	const char *wrong;
};

static const char *const names[ORACLE_TUBES] = { "a", "b", "c" };

#define KEYS	3

static const char *const keys[KEYS + 1] = { NULL, "k1", "k2", "k3" };

/* splitmix64 */
static uint64_t next(struct model *m)
{
	uint64_t x = m->random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t below(struct model *m, uint64_t limit)
{
	return next(m) % limit;
}

static void expect(struct model *m, bool met, const char *what)
{
	if (!met && !m->wrong)
		m->wrong = what;
}

static struct tube *tube_at(struct model *m, int tube)
{
	return queue_tube(&m->queue, names[tube]);
}

static struct store *open_store(struct model *m)
{
	const char *uri = getenv("WHEELQ_POSTGRES");

	return uri ? postgres_open(uri, -1, NULL) : sqlite_open(m->path);
}

static void start(struct model *m)
{
	const struct queue_options options = {
		.loaded = m->config->loaded, .horizon = m->config->horizon,
		.reservations = m->config->leases, .tubes = ORACLE_TUBES,
		.numbers = NUMBERS, .timers = -m->config->fewer,
		.by_hand = true,
	};
	int w, t;

	queue_open(&m->queue, open_store(m), &options);
	timers_advance(m->queue.timers, m->oracle.now);
	for (w = 0; w < ORACLE_WORKERS; w++) {
		worker_init(&m->workers[w]);
		/* Worker w watches the tubes 0 to w. */
		for (t = 0; t <= w; t++)
			worker_watch(&m->workers[w], tube_at(m, t));
	}
}

static void stop(struct model *m)
{
	int w;

	for (w = 0; w < ORACLE_WORKERS; w++)
		queue_abandon(&m->queue, &m->workers[w]);
	for (w = 0; w < ORACLE_WORKERS; w++)
		worker_clear(&m->workers[w]);
	queue_close(&m->queue);
}

static struct oracle_job *best_for(struct model *m, int worker)
{
	struct oracle_job *best = NULL, *job;
	int t;

	for (t = 0; t <= worker; t++) {
		struct job_key key, best_key;

		job = oracle_first(&m->oracle, t, JOB_READY);
		if (!job)
			continue;
		key = (struct job_key){ job->pri, job->due, job->id };
		if (best)
			best_key = (struct job_key){ best->pri, best->due,
						     best->id };
		if (!best || job_key_before(&key, &best_key))
			best = job;
	}
	return best;
}

static bool has_all_reservations(struct model *m)
{
	uint64_t leases = 0;
	int t;

	for (t = 0; t < ORACLE_TUBES; t++)
		leases += oracle_count(&m->oracle, t, JOB_RESERVED);
	return leases >= m->config->leases;
}

/* True if no timer is left for the TTR of another job. */
static bool has_no_timer(struct model *m)
{
	return !timers_have_room(m->queue.timers, CLOCK_QUEUE);
}

static void body_of(uint64_t id, char *body, uint32_t size)
{
	memset(body, 'a' + id % 26, size);
}

static void check_taken(struct model *m, int worker, const struct job *job)
{
	struct oracle_job *best = has_all_reservations(m) ? NULL :
						      best_for(m, worker);
	char body[BODY_MAX], wanted[BODY_MAX];
	struct store *store = m->queue.store;

	if (!job && has_no_timer(m))
		return;
	expect(m, !job == !best, "a job is reserved if one is ready");
	if (!job || !best)
		return;
	expect(m, job->rec.id == best->id, "the first job is reserved");
	oracle_lease(&m->oracle, best, worker);
	body_of(job->rec.id, wanted, job->rec.size);
	store->ops->body(store, job->rec.id, body, job->rec.size);
	expect(m, !memcmp(body, wanted, job->rec.size), "a reserved job has its body");
}

static void process_queue(struct model *m)
{
	struct worker *worker;
	struct job *job;
	int w;

	while ((worker = queue_process(&m->queue, &job))) {
		expect(m, worker->is_waiting, "a worker that gets a job has waited");
		worker_stop_waiting(worker);
		check_taken(m, worker - m->workers, job);
	}
	for (w = 0; w < ORACLE_WORKERS; w++)
		expect(m, !m->workers[w].is_waiting || has_all_reservations(m) ||
		       has_no_timer(m) || !best_for(m, w), "no worker waits while a job is ready");
}

static void run(struct model *m)
{
	int clock;

	for (clock = 0; clock < CLOCKS; clock++)
		while (!timers_run(m->queue.timers, clock, 100))
			;
	while (queue_work(&m->queue))
		;
	process_queue(m);
}

/* The key is removed from a job that is reserved; another job is deleted. */
static bool replace(struct model *m, int tube, int key)
{
	struct oracle_job *job = oracle_find_key(&m->oracle, tube, key);

	if (!job)
		return false;
	job->key = 0;
	if (job->state == JOB_RESERVED)
		return false;
	job->id = 0;
	return true;
}

static void op_put(struct model *m)
{
	int tube = below(m, ORACLE_TUBES);
	int key = below(m, 4) ? 0 : 1 + below(m, KEYS);
	struct queue_job put = {
		.pri = below(m, 4) ? below(m, 5) : below(m, 5000),
		.ttr = 1 + below(m, 300), .size = below(m, BODY_MAX),
		.when = below(m, 3) ? below(m, 400) : 0,
		.is_timed = !below(m, 4),
		.key = key ? keys[key] : NULL,
	};
	char body[BODY_MAX];
	bool has_replaced;
	uint64_t id;

	if (m->oracle.count >= ORACLE_JOBS)
		return;
	has_replaced = key && replace(m, tube, key);
	if (put.is_timed)
		put.when += m->oracle.now;
	body_of(m->queue.next_id, body, put.size);
	id = queue_put(&m->queue, tube_at(m, tube), &put, body);
	expect(m, id, "a put is accepted");
	expect(m, put.has_replaced == has_replaced, "a key is replaced");
	expect(m, !oracle_find(&m->oracle, id), "an id is new");
	oracle_put(&m->oracle, id, tube, &put)->key = key;
}

static void op_reserve(struct model *m)
{
	int w = below(m, ORACLE_WORKERS);
	struct job *job;

	if (m->workers[w].is_waiting) {
		worker_stop_waiting(&m->workers[w]);
		return;
	}
	job = queue_reserve(&m->queue, &m->workers[w]);
	check_taken(m, w, job);
	if (!job)
		worker_wait(&m->workers[w]);
}

/* The id of a current or former job, or one that was never used. */
static uint64_t some_id(struct model *m)
{
	return 1 + below(m, m->queue.next_id + 1);
}

static void op_reserve_id(struct model *m)
{
	int w = below(m, ORACLE_WORKERS);
	uint64_t id = some_id(m);
	struct oracle_job *job = oracle_find(&m->oracle, id);
	bool may = job && job->state != JOB_RESERVED && !has_all_reservations(m) &&
		   !has_no_timer(m);

	expect(m, may == !!queue_reserve_id(&m->queue, &m->workers[w], id),
	       "a job is reserved by its id");
	if (may)
		oracle_lease(&m->oracle, job, w);
}

static void op_delete(struct model *m)
{
	int w = below(m, ORACLE_WORKERS);
	uint64_t id = some_id(m);
	struct oracle_job *job = oracle_find(&m->oracle, id);
	bool may = job && (job->worker == NOBODY || job->worker == w);

	expect(m, may == queue_delete(&m->queue, &m->workers[w], id),
	       "a delete succeeds unless another worker has reserved the job");
	if (may)
		job->id = 0;
}

static void op_give_back(struct model *m)
{
	int w = below(m, ORACLE_WORKERS);
	uint64_t id = some_id(m), delay = below(m, 2) ? below(m, 300) : 0;
	struct oracle_job *job = oracle_find(&m->oracle, id);
	bool may = job && job->worker == w, did;
	uint32_t pri = below(m, 5);

	switch (below(m, 3)) {
	case 0:
		did = queue_release(&m->queue, &m->workers[w], id, pri, delay);
		if (may && delay)
			job->due = m->oracle.now + delay;
		if (may)
			job->state = delay ? JOB_DELAYED : JOB_READY;
		break;
	case 1:
		did = queue_bury(&m->queue, &m->workers[w], id, pri);
		if (may)
			job->buried = ++m->oracle.buries;
		if (may)
			job->state = JOB_BURIED;
		break;
	default:
		did = queue_touch(&m->queue, &m->workers[w], id);
		if (may)
			oracle_lease(&m->oracle, job, w);
		expect(m, did == may, "only its worker can touch a job");
		return;
	}
	expect(m, did == may, "only its worker can release or bury a job");
	if (may) {
		job->pri = pri;
		job->worker = NOBODY;
	}
}

static void op_kick(struct model *m)
{
	int tube = below(m, ORACLE_TUBES);
	uint64_t bound = below(m, 4) ? below(m, 4) : below(m, 1000);
	uint64_t id = some_id(m);
	struct oracle_job *job = oracle_find(&m->oracle, id);
	bool may = job && job->state != JOB_READY &&
		   job->state != JOB_RESERVED;

	if (below(m, 2)) {
		expect(m, queue_kick(&m->queue, tube_at(m, tube), bound) ==
		       oracle_kick(&m->oracle, tube, bound),
		       "a kick returns the number of moved jobs");
		return;
	}
	expect(m, queue_kick_job(&m->queue, id) == may, "a job is kicked");
	if (!may)
		return;
	if (job->state != JOB_BURIED)
		job->due = m->oracle.now;
	job->state = JOB_READY;
}

static void op_abandon(struct model *m)
{
	int w = below(m, ORACLE_WORKERS), i;

	queue_abandon(&m->queue, &m->workers[w]);
	for (i = 0; i < m->oracle.count; i++) {
		struct oracle_job *job = &m->oracle.jobs[i];

		if (!job->id || job->worker != w)
			continue;
		job->worker = NOBODY;
		job->state = JOB_READY;
	}
}

static void op_advance(struct model *m)
{
	uint64_t ms = below(m, 3) ? below(m, 20) : below(m, 400);

	timers_advance(m->queue.timers, ms);
	oracle_advance(&m->oracle, ms);
}

static void op_commit(struct model *m)
{
	queue_commit(&m->queue);
	m->committed = m->oracle;
}

static void op_crash(struct model *m)
{
	uint64_t now = m->oracle.now;

	stop(m);
	m->oracle = m->committed;
	m->oracle.now = now;
	oracle_crash(&m->oracle);
	oracle_advance(&m->oracle, 0);
	start(m);
	run(m);
	op_commit(m);
}

/**
 * struct op - a random operation
 * @run: runs it
 * @weight: its relative frequency
 */
struct op {
	void (*run)(struct model *m);
	unsigned int weight;
};

static const struct op ops[] = {
	{ op_put, 30 }, { op_reserve, 20 }, { op_reserve_id, 2 },
	{ op_delete, 20 }, { op_give_back, 20 }, { op_kick, 6 },
	{ op_abandon, 1 }, { op_advance, 15 }, { op_commit, 10 },
	{ op_crash, 1 },
};

static void step(struct model *m)
{
	unsigned int total = 0, at, i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		total += ops[i].weight;
	at = below(m, total);
	for (i = 0; at >= ops[i].weight; i++)
		at -= ops[i].weight;
	ops[i].run(m);
	run(m);
}

static void compare_keys(struct model *m)
{
	int t, key;

	for (t = 0; t < ORACLE_TUBES; t++)
		for (key = 1; key <= KEYS; key++) {
			struct oracle_job *job =
				oracle_find_key(&m->oracle, t, key);

			expect(m, queue_find_key(&m->queue, tube_at(m, t),
						 keys[key]) ==
			       (job ? job->id : 0), "a key finds its job");
		}
}

static void compare(struct model *m)
{
	struct job_record rec;
	int t, state;

	for (t = 0; t < ORACLE_TUBES; t++)
		for (state = JOB_DELAYED; state < JOB_STATES; state++) {
			struct oracle_job *first =
				oracle_first(&m->oracle, t, state);
			struct tube *tube = tube_at(m, t);

			expect(m, tube->jobs[state] ==
			       oracle_count(&m->oracle, t, state),
			       "the counts of a tube are right");
			if (state == JOB_RESERVED)
				continue;
			expect(m, queue_peek_first(&m->queue, tube, state,
						   &rec) == !!first,
			       "a first job is found if one exists");
			expect(m, !first || first->id == rec.id,
			       "the first job of a state is the oracle's");
		}
	for (state = JOB_DELAYED; state <= JOB_READY; state++)
		expect(m, m->queue.tubes.loaded[state] <=
		       m->config->loaded + ORACLE_TUBES,
		       "the limit on loaded jobs is not exceeded");
}

const char *model_run(const struct model_config *config, uint64_t seed,
		      unsigned int steps, unsigned int *done)
{
	struct model *m = calloc(1, sizeof(*m));
	const char *wrong;

	m->config = config;
	m->random = seed;
	m->oracle.now = 1000;
	m->committed.now = 1000;
	snprintf(m->path, sizeof(m->path), "/tmp/wheelq-model.%d", getpid());
	start(m);
	for (*done = 0; *done < steps && !m->wrong &&
	     m->oracle.count < ORACLE_JOBS; ++*done) {
		step(m);
		compare(m);
		compare_keys(m);
	}
	stop(m);
	model_forget(m->path);
	wrong = m->wrong;
	free(m);
	return wrong;
}

void model_forget(const char *path)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-reserve" };
	char name[80];
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		snprintf(name, sizeof(name), "%s%s", path, suffixes[i]);
		unlink(name);
	}
}
