// SPDX-License-Identifier: GPL-2.0
#include "model.h"

struct model *model;

/* Record the first failed assertion only, because others may follow from it. */
void model_check(bool right, const char *claim, u32 id)
{
	if (right || model->wrong)
		return;
	model->wrong = claim;
	model->culprit = id;
}

/* True if WHEEL_BOUNDED would reject the deadline. Other tests check these rejections. */
bool model_beyond(u64 deadline)
{
	u64 due = due_at(deadline, model->now, model->tick);

	return model->bounded &&
	       due - model->now > (BOUNDED_BUCKETS - 1) * model->tick;
}

bool model_full(void)
{
	return model->stats.pending == MODEL_LIMIT;
}

/* Set the range of due times: from @first on, within the slack. */
static void shadow_is_due(struct shadow *shadow, u64 first)
{
	u64 end = min(shadow->deadline + shadow->slack, WHEEL_MAX_TIME);

	shadow->first = first;
	shadow->last = max(first, div64_u64(end, model->tick) * model->tick);
}

static void shadow_file(struct shadow *shadow, u64 deadline, u64 slack)
{
	shadow->deadline = deadline;
	shadow->slack = slack;
	shadow_is_due(shadow, due_at(deadline, model->now, model->tick));
	shadow->look = shadow->first;
	shadow->filed = shadow->last;
	shadow->seq = model->seq++;
	shadow->pushed = false;
	shadow->pending = true;
}

int model_arm(struct shadow *shadow, u64 deadline, u64 slack)
{
	if (shadow->pending)
		return -EBUSY;
	if (model_full()) {
		model->stats.refused++;
		return -EDQUOT;
	}
	model->stats.armed++;
	model->stats.pending++;
	shadow_file(shadow, deadline, slack);
	return 0;
}

int model_rearm(struct shadow *shadow, u64 deadline)
{
	if (!shadow->pending)
		return -ENOENT;
	model->stats.rearmed++;
	shadow_file(shadow, deadline, 0);
	return 0;
}

int model_mod(struct shadow *shadow, u64 deadline)
{
	return model_rearm(shadow, deadline) ?
		model_arm(shadow, deadline, 0) : 1;
}

/* A later deadline, which the wheel detects only when it examines the timer. */
bool model_push(struct shadow *shadow, u64 deadline)
{
	u64 due = due_at(deadline, 0, model->tick);

	if (!shadow->pending || deadline <= shadow->deadline)
		return shadow->pending;
	shadow->deadline = deadline;
	shadow->pushed |= deadline > shadow->first;
	shadow_is_due(shadow, max(shadow->first, due));
	return true;
}

int model_cancel(struct shadow *shadow)
{
	if (!shadow->pending)
		return shadow->running ? -EALREADY : -ENOENT;
	shadow->pending = false;
	model->stats.cancelled++;
	model->stats.pending--;
	return 0;
}

/* True if @a must expire before @b. */
static bool before(const struct shadow *a, const struct shadow *b)
{
	if (a->last != b->first)
		return a->last < b->first;
	if (a->pushed || b->pushed)
		return false;
	return a->first == a->last && b->first == b->last && a->seq < b->seq;
}

/* Check that the callback of this timer is permitted now. */
void model_called(u32 id)
{
	struct shadow *shadow = &model->shadows[id];
	u32 i;

	model_check(shadow->pending, "called without being pending", id);
	model_check(shadow->first <= model->now, "called early", id);
	for (i = 0; i < MODEL_TIMERS; i++)
		model_check(!model->shadows[i].pending ||
			    !before(&model->shadows[i], shadow), "overtaken", i);
	shadow->pending = false;
	model->stats.pending--;
	model->stats.fired++;
}

/*
 * The wheel has examined a timer. It may have used the current deadline, or the one before a push
 * in the same pass, and with slack it has a choice.
 */
static void looked_at(struct shadow *shadow)
{
	if (shadow->filed <= model->now) {
		shadow->look = shadow->first;
		shadow->filed = shadow->last;
	}
	if (shadow->look != shadow->filed || model->meddled)
		shadow->look = min(shadow->look, model->now + 1);
}

/* Check the end of a pass: no timer is overdue, and @next is a possible next expiry. */
void model_advanced(u64 next)
{
	u64 first = WHEEL_NEVER, last = WHEEL_NEVER;
	u32 i;

	for (i = 0; i < MODEL_TIMERS; i++) {
		struct shadow *shadow = &model->shadows[i];

		if (!shadow->pending)
			continue;
		model_check(shadow->last > model->now, "late", i);
		if (shadow->look <= model->now)
			looked_at(shadow);
		first = min(first, shadow->look);
		last = min(last, shadow->last);
	}
	/* The next expiry may be a lower bound if timers were cancelled or moved during a pass. */
	model_check(next <= last && (model->meddled || next >= first), "next", 0);
	model_check(wheel_now(model->rig->wheel) == model->now, "clock", 0);
}

void model_compare_stats(void)
{
	const struct wheel_stats *got = rig_stats(model->rig);
	const struct wheel_stats *want = &model->stats;

	model_check(got->armed == want->armed, "stats: armed", 0);
	model_check(got->fired == want->fired, "stats: fired", 0);
	model_check(got->cancelled == want->cancelled, "stats: cancelled", 0);
	model_check(got->pending == want->pending, "stats: pending", 0);
	model_check(got->rearmed == want->rearmed, "stats: rearmed", 0);
	model_check(got->refused == want->refused, "stats: refused", 0);
}
