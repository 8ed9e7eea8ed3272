"""A network camera that says what a test has it say."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Answer one connection after the other with bytes, and hang up; keep what was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            for answer in answers:
                connection, _ = server.accept()
                with connection:
                    asked.append(connection.recv(4096))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}", asked


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=x\r\n\r\n"


def part(data: bytes, *heads: bytes) -> bytes:
    return b"--x\r\n" + b"".join(head + b"\r\n" for head in heads) + b"\r\n" + data + b"\r\n"
