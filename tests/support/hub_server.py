"""A small model hub on 127.0.0.1 for tests: the files of one repository, and ways to misbehave.

    hub_server.py ROOT     serves ROOT/<org>/<repository>/<files>; prints its port

It behaves like the hub in what the client uses: /api/models/NAME/tree/REVISION lists files, and
/NAME/resolve/REVISION/PATH redirects to a second port, the stand-in for a content network. Faults
are asked for by the revision, so that every test picks its own:

    main            all is well
    paged           the list comes in pages of two files
    drops           each response breaks off in the middle
    no-ranges       Range is ignored and the first response breaks off
    short           says 10 bytes less than it announced in the list
    long            sends 10 bytes more
    corrupt         flips a byte
    busy            answers 503 once for each path, then well
    broken          answers 500 always
    stalls          sends the first half and then nothing until the client is gone
    escapes         lists "../escaped"
    private         wants the bearer token "secret", 401 without
    moved-pages     the list goes on at another host

The log of requests, one JSON object a line, is at /log.
"""

import hashlib
import http.server
import json
import pathlib
import re
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(sys.argv[1])
LOG = []
SEEN = set()
LOCK = threading.Lock()


def git_object_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def entry(folder, path):
    content = path.read_bytes()
    item = {"type": "file", "path": path.relative_to(folder).as_posix(), "size": len(content),
            "oid": git_object_id(content)}
    if path.suffix in (".gguf", ".safetensors", ".bin"):
        item["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content),
                       "pointerSize": 134}
        item["oid"] = "0" * 40
    return item


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, status, body=b"", headers=None, send_bytes=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        part = body if send_bytes is None else body[:send_bytes]
        try:
            self.wfile.write(part)
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass
        if send_bytes is not None:
            self.close_connection = True

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        path = urllib.parse.unquote(url.path)
        if path == "/log":
            return self.send(200, "\n".join(LOG).encode())
        with LOCK:
            LOG.append(json.dumps({"port": self.server.server_port, "path": path,
                                   "range": self.headers.get("Range"),
                                   "authorization": self.headers.get("Authorization")}))
        tree = re.fullmatch(r"/api/models/(.+)/tree/([^/]+)", path)
        if tree:
            return self.tree(*tree.groups(), urllib.parse.parse_qs(url.query))
        resolve = re.fullmatch(r"/(.+)/resolve/([^/]+)/(.+)", path)
        if resolve:
            name, revision, file = resolve.groups()
            if self.refused(revision):
                return None
            target = f"http://127.0.0.1:{content_server.server_port}/content/{revision}/{name}/{file}"
            return self.send(302, headers={"Location": target})
        content = re.fullmatch(r"/content/([^/]+)/(.+)", path)
        if content:
            return self.content(*content.groups())
        return self.send(404)

    def refused(self, revision):
        if revision == "private" and self.headers.get("Authorization") != "Bearer secret":
            self.send(401, b'{"error": "no access"}')
            return True
        return False

    def tree(self, name, revision, query):
        folder = ROOT / name
        if revision == "no-such" or not folder.is_dir():
            return self.send(404, b'{"error": "not found"}')
        if self.refused(revision):
            return None
        files = [entry(folder, path) for path in sorted(folder.rglob("*")) if path.is_file()]
        files.insert(0, {"type": "directory", "oid": "0" * 40, "size": 0, "path": "folder"})
        headers = {"Content-Type": "application/json"}
        if revision == "escapes":
            files.append({"type": "file", "path": "../escaped.json", "size": 1, "oid": "0" * 40})
        if revision in ("paged", "moved-pages"):
            start = int(query.get("cursor", ["0"])[0])
            if start + 2 < len(files):
                port = self.server.server_port + (revision == "moved-pages")
                headers["Link"] = (f'<http://127.0.0.1:{port}/api/models/{name}/tree/'
                                   f'{revision}?recursive=true&cursor={start + 2}>; rel="next"')
            files = files[start:start + 2]
        return self.send(200, json.dumps(files).encode(), headers)

    def content(self, revision, path):
        file = ROOT / path
        if not file.is_file():
            return self.send(404)
        body = file.read_bytes()
        with LOCK:
            first_time = (revision, path) not in SEEN
            SEEN.add((revision, path))
        if revision == "broken" or (revision == "busy" and first_time):
            return self.send(503 if revision == "busy" else 500, b"not now")
        if revision == "short":
            body = body[:-10]
        elif revision == "long":
            body += b"0123456789"
        elif revision == "corrupt":
            body = bytes([body[0] ^ 1]) + body[1:]
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if wanted and revision != "no-ranges":
            start = int(wanted[1])
            if start >= len(body):
                return self.send(416, headers={"Content-Range": f"bytes */{len(body)}"})
            headers = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
            status, rest = 206, body[start:]
        else:
            status, headers, rest = 200, {}, body
        if revision == "drops" and len(rest) > 1:
            return self.send(status, rest, headers, send_bytes=(len(rest) + 1) // 2)
        if revision == "no-ranges" and first_time:
            return self.send(status, rest, headers, send_bytes=len(rest) // 2)
        if revision == "stalls":
            self.send(status, rest, headers, send_bytes=len(rest) // 2)
            time.sleep(30)
            return None
        return self.send(status, rest, headers)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


hub_server = Server(("127.0.0.1", 0), Handler)
content_server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=content_server.serve_forever, daemon=True).start()
print(hub_server.server_port, content_server.server_port, flush=True)
threading.Thread(target=hub_server.serve_forever, daemon=True).start()
sys.stdin.read()  # until whoever started it is gone
