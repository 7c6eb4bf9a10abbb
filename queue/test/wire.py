# SPDX-License-Identifier: MIT
"""A connection between a server and PostgreSQL that can be cut."""
import contextlib
import socket
import threading


class Wire:
    """Forwards from a TCP port to PostgreSQL's socket. While it is cut, it accepts connections and
    data, but forwards neither data nor the end of a connection."""

    def __init__(self, path):
        self.path = path
        self.listener = self.listen()
        self.host, self.port = self.listener.getsockname()
        self.forth, self.back = self.directions()
        self.is_cut = []
        self.most = None
        self.accepted = 0
        self.requests = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def listen(self):
        return socket.create_server(("127.0.0.1", 0))

    def directions(self):
        """To PostgreSQL and back: a direction is cut by holding its lock."""
        return threading.Lock(), threading.Lock()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.accepted += 1
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.path)
            for words in ((client, server, self.forth), (server, client, self.back)):
                threading.Thread(target=self.forward, args=words, daemon=True).start()

    def forward(self, source, sink, direction):
        data = True
        with contextlib.suppress(OSError):
            while data:
                try:
                    data = source.recv(1 << 20)
                except ConnectionResetError:
                    data = b""
                self.requests += direction is self.forth
                if direction is self.forth and self.most and len(data) >= self.most:
                    sink.sendall(data[:self.most // 2])
                    data, self.most = data[self.most // 2:], None
                    self.cut(self.forth, self.back)
                with direction:
                    if data:
                        sink.sendall(data)
                    else:
                        sink.shutdown(socket.SHUT_WR)

    def cut_within(self, size):
        """Cut the connection to PostgreSQL in the middle of the next @size bytes."""
        self.most = size

    def cut(self, *directions):
        """Cut these directions. After the return, nothing is forwarded."""
        for direction in directions:
            direction.acquire()
            self.is_cut.append(direction)

    def heal(self):
        while self.is_cut:
            self.is_cut.pop().release()
