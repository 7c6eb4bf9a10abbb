// SPDX-License-Identifier: MIT
#include "quota.h"

#include "client.h"

void quota_open(struct quota *quota, size_t most)
{
	*quota = (struct quota){ .most = most };
	TAILQ_INIT(&quota->clients);
}

static void set(struct quota *quota, struct client *client, size_t bytes)
{
	if (bytes && !client->buffered)
		TAILQ_INSERT_TAIL(&quota->clients, client, in_quota);
	else if (!bytes && client->buffered)
		TAILQ_REMOVE(&quota->clients, client, in_quota);
	quota->count += !!bytes - !!client->buffered;
	quota->bytes += bytes - client->buffered;
	client->buffered = bytes;
}

void quota_update(struct quota *quota, struct client *client)
{
	set(quota, client, client->in.room + client->out.room);
}

void quota_progress(struct quota *quota, struct client *client)
{
	if (!client->buffered)
		return;
	TAILQ_REMOVE(&quota->clients, client, in_quota);
	TAILQ_INSERT_TAIL(&quota->clients, client, in_quota);
}

void quota_remove(struct quota *quota, struct client *client)
{
	set(quota, client, 0);
}

/* There is one, or all of them together would not hold more than the limit. */
static struct client *first_above_share(struct quota *quota)
{
	size_t share = quota->most / quota->count;
	struct client *client;

	TAILQ_FOREACH(client, &quota->clients, in_quota)
		if (client->buffered > share)
			break;
	return client;
}

void quota_enforce(struct quota *quota)
{
	while (quota->bytes > quota->most && quota->count > 1) {
		struct client *client = first_above_share(quota);

		client_drop_buffers(client);
		quota_update(quota, client);
		quota->refusals++;
	}
}
