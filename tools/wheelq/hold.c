// SPDX-License-Identifier: MIT
#include "hold.h"

#include "client.h"

void hold_open(struct hold *hold, size_t most)
{
	*hold = (struct hold){ .most = most };
	TAILQ_INIT(&hold->clients);
}

static void set(struct hold *hold, struct client *client, size_t bytes)
{
	if (bytes && !client->holds)
		TAILQ_INSERT_TAIL(&hold->clients, client, holding);
	else if (!bytes && client->holds)
		TAILQ_REMOVE(&hold->clients, client, holding);
	hold->count += !!bytes - !!client->holds;
	hold->bytes += bytes - client->holds;
	client->holds = bytes;
}

void hold_count(struct hold *hold, struct client *client)
{
	set(hold, client, client->in.room + client->out.room);
}

void hold_progress(struct hold *hold, struct client *client)
{
	if (!client->holds)
		return;
	TAILQ_REMOVE(&hold->clients, client, holding);
	TAILQ_INSERT_TAIL(&hold->clients, client, holding);
}

void hold_forget(struct hold *hold, struct client *client)
{
	set(hold, client, 0);
}

/* There is one, or all of them together would not hold more than the limit. */
static struct client *first_above_share(struct hold *hold)
{
	size_t share = hold->most / hold->count;
	struct client *client;

	TAILQ_FOREACH(client, &hold->clients, holding)
		if (client->holds > share)
			break;
	return client;
}

void hold_limit(struct hold *hold)
{
	while (hold->bytes > hold->most && hold->count > 1) {
		struct client *client = first_above_share(hold);

		client_gives_way(client);
		hold_count(hold, client);
		hold->refusals++;
	}
}
