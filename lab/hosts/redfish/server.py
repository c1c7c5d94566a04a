"""Serves a management controller on a loopback address over TLS, with a certificate of its own."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import ssl
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

if TYPE_CHECKING:
    from pathlib import Path

    from lab.hosts.redfish.controller import Controller, Reply

LOOPBACK: Final = "127.0.0.1"
LONGEST_BODY_BYTES: Final = 1 << 20


class RedfishServer:
    """Serves a controller at `port` until it is closed.

    Parameters
    ----------
    controller
        The controller to serve.
    folder
        Folder for the certificate; clients trust the file `certificate`.
    """

    def __init__(self, controller: Controller, folder: Path) -> None:
        self.certificate = folder / f"{controller.name}-bmc.pem"
        make_certificate(controller.name, self.certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        handler = type("Handler", (_Handler,), {"controller": controller})
        self._server = ThreadingHTTPServer((LOOPBACK, 0), handler)
        self._server.daemon_threads = True
        # The thread that serves the connection does the handshake: a silent client does not block others.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        """Serve while the block runs."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the server."""
        self.close()


class _Handler(BaseHTTPRequestHandler):
    """Hands requests to the controller of the class."""

    controller: Controller
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request."""
        self._answer()

    do_PATCH = do_POST = do_DELETE = do_GET  # noqa: N815 the library finds methods by these names

    def _answer(self) -> None:
        length = min(int(self.headers.get("Content-Length") or 0), LONGEST_BODY_BYTES)
        try:
            body = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            body = {}
        path = self.path.partition("?")[0].rstrip("/")
        token = self.headers.get("X-Auth-Token") or ""
        self._send(self.controller.request(self.command, path, _mapping(body), token, _login(self.headers)))

    def _send(self, reply: Reply) -> None:
        text = json.dumps(reply.body).encode() if reply.body is not None else b""
        self.send_response(reply.status)
        for name, value in {**reply.headers, "Content-Type": "application/json", "OData-Version": "4.0"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Write no log of requests."""


def _mapping(document: object) -> dict[str, Any]:
    return document if isinstance(document, dict) else {}


def _login(headers: Any) -> tuple[str, str]:  # noqa: ANN401 http.client's message
    """Return user and password of basic authentication (RFC 7617)."""
    kind, _, encoded = (headers.get("Authorization") or "").partition(" ")
    try:
        user, _, password = base64.b64decode(encoded).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return (user, password) if kind.lower() == "basic" else ("", "")


def make_certificate(name: str, path: Path) -> None:
    """Write a key and a certificate that it signed itself, for the loopback address, good for a year."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"{name}-bmc")])
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=365))
        .add_extension(addresses, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.touch(mode=0o600)
    path.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
