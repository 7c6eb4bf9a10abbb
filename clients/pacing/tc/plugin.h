/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of plug-ins of tc, which iproute2 installs no header for: the functions that tc
 * exports, as far as q_wheel.c calls them. Their types are those of iproute2 6.1 to 7.1.
 */
#ifndef _TC_PLUGIN_H
#define _TC_PLUGIN_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct qdisc_util {
	struct qdisc_util *next;
	const char *id;
	int (*parse_qopt)(const struct qdisc_util *util, int argc, char **argv,
			  struct nlmsghdr *message, const char *dev);
	int (*print_qopt)(const struct qdisc_util *util, FILE *file, struct rtattr *options);
	int (*print_xstats)(const struct qdisc_util *util, FILE *file, struct rtattr *stats);
	int (*parse_copt)(const struct qdisc_util *util, int argc, char **argv,
			  struct nlmsghdr *message, const char *dev);
	int (*print_copt)(const struct qdisc_util *util, FILE *file, struct rtattr *options);
	int (*has_block)(const struct qdisc_util *util, struct rtattr *options, uint32_t block,
			 bool *has);
};

/* Output formats */
enum output_type {
	PRINT_FP = 1,
	PRINT_JSON = 2,
	PRINT_ANY = 4,
};

/* No color */
#define COLOR_NONE	6

int print_color_uint(enum output_type type, int color, const char *key, const char *format,
		     unsigned int value);
int print_color_u64(enum output_type type, int color, const char *key, const char *format,
		    uint64_t value);
int print_color_string(enum output_type type, int color, const char *key, const char *format,
		       const char *value);
int print_color_null(enum output_type type, int color, const char *key, const char *format,
		     const char *value);
void tc_print_rate(enum output_type type, const char *key, const char *format,
		   unsigned long long rate);

int get_unsigned(unsigned int *value, const char *text, int base);
int get_size(unsigned int *size, const char *text);
int get_rate64(uint64_t *rate, const char *text);
int get_time64(int64_t *time, const char *text);
char *sprint_time64(int64_t time, char *buffer);
char *sprint_size(uint32_t size, char *buffer);

int addattr_l(struct nlmsghdr *message, int size, int type, const void *data, int length);
struct rtattr *addattr_nest(struct nlmsghdr *message, int size, int type);
int addattr_nest_end(struct nlmsghdr *message, struct rtattr *nest);
int parse_rtattr_flags(struct rtattr *tb[], int max, struct rtattr *attribute, int length,
		       unsigned short flags);

#endif
