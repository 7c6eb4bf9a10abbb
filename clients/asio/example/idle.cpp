// SPDX-License-Identifier: MIT
/*
 * idle SECONDS: an echo server on Beast's tcp_stream. It closes a connection that is idle for that
 * many seconds. It prints its port, and runs until the end of its input.
 *
 * The source contains no wheel. Built with WHEEL_REPLACE_STEADY_TIMER, the timers of the streams are
 * on a wheel.
 */
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace net = boost::asio;
namespace beast = boost::beast;
using net::ip::tcp;

class session : public std::enable_shared_from_this<session> {
public:
	session(tcp::socket socket, std::chrono::seconds limit)
		: stream_(std::move(socket)), limit_(limit)
	{
	}

	void read()
	{
		stream_.expires_after(limit_);
		stream_.async_read_some(net::buffer(bytes_), [self = shared_from_this()](
				beast::error_code error, std::size_t size) {
			if (!error)
				self->write(size);
		});
	}

private:
	beast::tcp_stream stream_;
	std::chrono::seconds limit_;
	std::array<char, 1024> bytes_;

	void write(std::size_t size)
	{
		net::async_write(stream_, net::buffer(bytes_.data(), size),
				 [self = shared_from_this()](beast::error_code error, std::size_t) {
			if (!error)
				self->read();
		});
	}
};

static void accept(tcp::acceptor &acceptor, std::chrono::seconds limit)
{
	acceptor.async_accept([&acceptor, limit](beast::error_code error, tcp::socket socket) {
		if (!error)
			std::make_shared<session>(std::move(socket), limit)->read();
		accept(acceptor, limit);
	});
}

int main(int argc, char **argv)
{
	net::io_context context(1);
	tcp::acceptor acceptor(context, tcp::endpoint(net::ip::address_v4::loopback(), 0));
	net::posix::stream_descriptor input(context, 0);
	std::chrono::seconds limit(argc == 2 ? std::atoi(argv[1]) : 0);
	char end;

	if (limit.count() <= 0) {
		std::fprintf(stderr, "usage: idle SECONDS\n");
		return 2;
	}
	accept(acceptor, limit);
	input.async_read_some(net::buffer(&end, 1),
			      [&](beast::error_code, std::size_t) { context.stop(); });
	std::printf("%d\n", acceptor.local_endpoint().port());
	std::fflush(stdout);
	context.run();
}
