"""Stands in for the service that Claude Code logs in at: a proxy on loopback that answers itself, with a certificate
of its own (FOLDER/ca.pem). It renews any login, refuses everything else, and writes down what it is asked, with the
last letters of the token (FOLDER/asked). Prints its port. Usage: login_service.py FOLDER"""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def certificates():
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tests",
            "-keyout", path("ca.key"), "-out", path("ca.pem"))
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=service",
            "-keyout", path("key.pem"), "-out", path("request.pem"))
    with open(path("names"), "w") as names:
        names.write("subjectAltName=DNS:claude.ai,DNS:*.claude.com,DNS:*.anthropic.com\n")
    openssl("x509", "-req", "-in", path("request.pem"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-CAcreateserial", "-days", "2", "-extfile", path("names"), "-out", path("cert.pem"))


def request(stream):
    first = stream.readline().decode().split()
    headers = {}
    while line := stream.readline().decode().strip():
        name, value = line.split(":", 1)
        headers[name.lower()] = value.strip()
    return first, headers, stream.read(int(headers.get("content-length", 0)))


def answer(where):
    if "/v1/oauth/token" in where:
        return 200, {"access_token": "sk-ant-oat01-NEW", "refresh_token": "sk-ant-ort01-NEW", "expires_in": 28800,
                     "scope": "user:inference user:profile", "token_type": "Bearer"}
    return 401, {"type": "error", "error": {"type": "authentication_error", "message": "not here"}}


def serve(client, context):
    try:
        first, _, _ = request(client.makefile("rb"))
        if not first or first[0] != "CONNECT":
            return
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        inside = context.wrap_socket(client, server_side=True)
        stream = inside.makefile("rb")
        while True:
            words, headers, _ = request(stream)
            if not words:
                return
            with open(path("asked"), "a") as asked:
                asked.write(f"{words[1]} {headers.get('authorization', '')[-4:]}\n")
            code, body = answer(words[1])
            body = json.dumps(body).encode()
            head = f"HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            inside.sendall(head.encode() + body)
    except OSError:
        pass  # The program has gone.
    finally:
        client.close()


certificates()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(path("cert.pem"), path("key.pem"))
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    threading.Thread(target=serve, args=(client, context), daemon=True).start()
