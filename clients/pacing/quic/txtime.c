// SPDX-License-Identifier: GPL-2.0
/*
 * Let the kernel pace a QUIC program that is linked with ngtcp2 0.12, such as Debian's gtlsserver:
 *
 *	LD_PRELOAD=build/txtime.so gtlsserver ...
 *
 * The program sends up to 64 packets at once, as a burst, and sleeps until the pacing rate of its
 * congestion control allows more. This library divides the burst, and gives each packet its
 * departure time at the same rate.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BURST_MAX	64
#define CONTROL_MAX	128

/* The connection that sends, the departures of the first packet of its burst and of its next one */
static ngtcp2_conn *sender;
static uint64_t first, next;

/* The program calls it before it writes a burst. */
size_t ngtcp2_conn_get_send_quantum(ngtcp2_conn *conn)
{
	static size_t (*original)(ngtcp2_conn *conn);

	if (!original)
		original = dlsym(RTLD_NEXT, __func__);
	if (conn != sender)
		next = 0;
	first = 0;
	sender = conn;
	return original(conn);
}

/*
 * The program calls it after it has sent a burst, with the current time. It may be early by a
 * millisecond, so that the burst begins later.
 */
void ngtcp2_conn_update_pkt_tx_time(ngtcp2_conn *conn, ngtcp2_tstamp now)
{
	static void (*original)(ngtcp2_conn *conn, ngtcp2_tstamp now);

	if (!original)
		original = dlsym(RTLD_NEXT, __func__);
	original(conn, conn == sender && first > now ? first : now);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	struct sock_txtime clock = { .clockid = CLOCK_MONOTONIC };
	static int (*original)(int fd, const struct sockaddr *address, socklen_t size);
	int room = 4 << 20;

	if (!original)
		original = dlsym(RTLD_NEXT, __func__);
	/* Waiting packets are in the socket's send buffer. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_TXTIME, &clock, sizeof(clock));
	return original(fd, address, size);
}

/* Nanoseconds per byte, or 0 while the round-trip time is not known */
static double pace(void)
{
	ngtcp2_conn_stat stat;

	if (!sender)
		return 0;
	ngtcp2_conn_get_conn_stat(sender, &stat);
	if (stat.min_rtt == UINT64_MAX)
		return 0;
	/* As in ngtcp2_conn_update_pkt_tx_time() */
	return stat.pacing_rate > 0 ? 1 / stat.pacing_rate :
				      stat.smoothed_rtt / (stat.cwnd * 1.25);
}

static void control_add(struct msghdr *header, int level, int type, const void *data, size_t size)
{
	struct cmsghdr *control = (void *)((char *)header->msg_control + header->msg_controllen);

	control->cmsg_level = level;
	control->cmsg_type = type;
	control->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(control), data, size);
	header->msg_controllen += CMSG_SPACE(size);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	static ssize_t (*original)(int fd, const struct msghdr *message, int flags);
	struct cmsghdr control[BURST_MAX][CONTROL_MAX / sizeof(struct cmsghdr)] = {};
	struct iovec parts[BURST_MAX], *data = message->msg_iov;
	struct mmsghdr packets[BURST_MAX];
	size_t size = data->iov_len, sent = 0;
	double per_byte = pace();
	struct timespec t;
	unsigned int n;

	if (!original)
		original = dlsym(RTLD_NEXT, __func__);
	if (!per_byte || message->msg_iovlen != 1)
		return original(fd, message, flags);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR((void *)message, c))
		if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT)
			size = *(uint16_t *)CMSG_DATA(c);
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (next < t.tv_sec * 1000000000ULL + t.tv_nsec)
		next = t.tv_sec * 1000000000ULL + t.tv_nsec;
	if (!first)
		first = next;
	for (n = 0; n < BURST_MAX && sent < data->iov_len; n++, sent += size) {
		size_t length = data->iov_len - sent < size ? data->iov_len - sent : size;
		struct msghdr *header = &packets[n].msg_hdr;

		parts[n] = (struct iovec) { (char *)data->iov_base + sent, length };
		*header = *message;
		header->msg_iov = &parts[n];
		header->msg_control = control[n];
		header->msg_controllen = 0;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c;
		     c = CMSG_NXTHDR((void *)message, c))
			if (c->cmsg_type != UDP_SEGMENT)
				control_add(header, c->cmsg_level, c->cmsg_type, CMSG_DATA(c),
					    c->cmsg_len - CMSG_LEN(0));
		control_add(header, SOL_SOCKET, SCM_TXTIME, &next, sizeof(next));
		next += length * per_byte;
	}
	/* Packets for which the kernel has no memory are lost, as on the path. */
	return sendmmsg(fd, packets, n, flags) < 0 ? -1 : (ssize_t)data->iov_len;
}
