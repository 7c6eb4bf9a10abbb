// SPDX-License-Identifier: MIT
/*
 * Which word was meant.
 */
#include <string.h>

#include "ktap.h"
#include "near.h"
#include "wheelctl.h"

static const char *meant(const char *word)
{
	static const char *const words[] = {
		"info", "arm", "list", "stats", "replay", "restore", "--json",
	};
	struct near near;
	size_t i;

	near_begin(&near, word);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		near_offer(&near, words[i]);
	return near.best ? near.best : "";
}

static void near_words(void)
{
	KTAP_EXPECT(!strcmp(meant("lits"), "list"));
	KTAP_EXPECT(!strcmp(meant("ilst"), "list"));
	KTAP_EXPECT(!strcmp(meant("lis"), "list"));
	KTAP_EXPECT(!strcmp(meant("listt"), "list"));
	KTAP_EXPECT(!strcmp(meant("stat"), "stats"));
	KTAP_EXPECT(!strcmp(meant("rm"), "arm"));
	KTAP_EXPECT(!strcmp(meant("reply"), "replay"));
	KTAP_EXPECT(!strcmp(meant("repaly"), "replay"));
	KTAP_EXPECT(!strcmp(meant("rest"), "restore"));
	KTAP_EXPECT(!strcmp(meant("-json"), "--json"));
}

static void far_words(void)
{
	static const char *const far[] = {
		"", "x", "frobnicate", "xyz", "tsil", "statistics of it",
		"a word that is much longer than any word can be that means something",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(far); i++)
		KTAP_EXPECT(!*meant(far[i]));
}

const struct ktap_case near_cases[] = {
	{ "words that are near", near_words },
	{ "words that are not", far_words },
	{ NULL }
};
