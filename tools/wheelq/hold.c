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

void hold_limit(struct hold *hold)
{
	struct client *first;

	while (hold->bytes > hold->most) {
		first = TAILQ_FIRST(&hold->clients);
		if (!TAILQ_NEXT(first, holding))
			return;
		client_gives_way(first);
		hold_count(hold, first);
		hold->refusals++;
	}
}
