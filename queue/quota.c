// SPDX-License-Identifier: MIT
#include "quota.h"

void quota_open(struct quota *quota, size_t limit,
		size_t (*drop)(struct quota_entry *entry))
{
	*quota = (struct quota){ .limit = limit, .drop = drop };
	TAILQ_INIT(&quota->entries);
}

void quota_set(struct quota *quota, struct quota_entry *entry, size_t bytes)
{
	if (bytes && !entry->bytes)
		TAILQ_INSERT_TAIL(&quota->entries, entry, all);
	else if (!bytes && entry->bytes)
		TAILQ_REMOVE(&quota->entries, entry, all);
	quota->count += !!bytes - !!entry->bytes;
	quota->bytes += bytes - entry->bytes;
	entry->bytes = bytes;
}

void quota_progress(struct quota *quota, struct quota_entry *entry)
{
	if (!entry->bytes)
		return;
	TAILQ_REMOVE(&quota->entries, entry, all);
	TAILQ_INSERT_TAIL(&quota->entries, entry, all);
}

/* One exists, because otherwise the total would not exceed the limit. */
static struct quota_entry *first_above_share(struct quota *quota)
{
	size_t share = quota->limit / quota->count;
	struct quota_entry *entry;

	TAILQ_FOREACH(entry, &quota->entries, all)
		if (entry->bytes > share)
			break;
	return entry;
}

void quota_enforce(struct quota *quota)
{
	while (quota->bytes > quota->limit && quota->count > 1) {
		struct quota_entry *entry = first_above_share(quota);

		quota_set(quota, entry, quota->drop(entry));
		quota->refusals++;
	}
}
