"""Keeps a copy of a community by the rules of the guide, "Connect a server". Its state outlives the process.

Standard input takes one command a line: `read` reads on, from zero the first time, and `state` prints the copy.
"""

import json
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

settings = json.loads(sys.argv[1])
community = f"/odis/v1/communities/{settings['community_id']}"

database = sqlite3.connect(settings["database"], check_same_thread=False)
database.executescript(
    """
    CREATE TABLE IF NOT EXISTS record (kind, id, sequence, state, PRIMARY KEY (kind, id));
    CREATE TABLE IF NOT EXISTS progress (last_event);
    """
)
one_at_a_time = threading.Lock()


def keep(kind, record_id, sequence, state):
    database.execute(
        """
        INSERT INTO record VALUES (?, ?, ?, ?) ON CONFLICT (kind, id)
        DO UPDATE SET sequence = excluded.sequence, state = excluded.state WHERE excluded.sequence > sequence
        """,
        (kind, str(record_id), sequence, json.dumps(state)),
    )


def apply(event):
    data, sequence = event["data"], event["sequence"]
    with one_at_a_time, database:
        if "member" in data:
            member = data["member"]
            keep("member", member["id"], sequence, {"granted": member["access"]["granted"], "tier_id": member["tier_id"]})
        if "payment" in data:
            payment = data["payment"]
            keep("payment", payment["id"], sequence, [payment["status"], payment["amount_cents"]])
        if "refund" in data:
            refund = data["refund"]
            keep("refund", refund["refund_id"], sequence, [refund["status"], refund["amount_cents"]])
        if "dispute" in data:
            dispute = data["dispute"]
            keep("dispute", dispute["id"], sequence, [dispute["status"], dispute["amount_cents"]])


def get(path, **query):
    request = Request(f"{settings['url']}{path}?{urlencode(query)}", headers={"authorization": f"Bearer {settings['key']}"})
    with urlopen(request) as response:
        return json.load(response)


def pages(path, **query):
    page = get(path, per=100, **query)
    yield page["data"]
    while page["has_more"]:
        page = get(path, per=100, cursor=page["next_cursor"], **query)
        yield page["data"]


def remember(last_event):
    with one_at_a_time, database:
        database.execute("DELETE FROM progress")
        database.execute("INSERT INTO progress VALUES (?)", (last_event,))


def start():
    with one_at_a_time:
        unlisted = dict(database.execute("SELECT id, sequence FROM record WHERE kind = 'member'"))
    newest = get(f"{community}/events", per=1)["data"]
    for members in pages(f"{community}/members"):
        with one_at_a_time, database:
            for member in members:
                state = {"granted": member["access"]["granted"], "tier_id": member["membership_tier"]["id"]}
                keep("member", member["id"], member["sequence"], state)
                unlisted.pop(str(member["id"]), None)
    # After a restore, Odis no longer knows the members who were added after the point in time.
    with one_at_a_time, database:
        database.executemany("DELETE FROM record WHERE kind = 'member' AND id = ? AND sequence = ?", unlisted.items())
    remember(newest[0]["id"] if newest else None)


def read_on():
    progress = database.execute("SELECT last_event FROM progress").fetchone()
    if progress is None:
        start()
        return read_on()
    (last_event,) = progress
    if last_event is None:
        events = [event for page in pages(f"{community}/events") for event in page]
        for event in reversed(events):
            apply(event)
        return remember(events[0]["id"] if events else None)
    try:
        for page in pages(f"{community}/events", after=last_event):
            for event in page:
                apply(event)
            if page:
                remember(page[-1]["id"])
    except HTTPError as error:
        if error.code != 422:
            raise
        start()
        read_on()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            apply(Webhook(settings["secret"]).verify(body, dict(self.headers)))
            self.send_response(204)
        except WebhookVerificationError:
            self.send_response(400)
        self.end_headers()

    def log_message(self, *_):
        pass


# Without an event to read on from, the list does not tell whether any are missing: it has those of the last 30 days.
if database.execute("SELECT last_event FROM progress").fetchone() == (None,):
    start()
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"port": server.server_port}), flush=True)
for command in sys.stdin:
    if command.strip() == "read":
        read_on()
        print(json.dumps({"done": True}), flush=True)
    else:
        copy = {}
        for kind, record_id, state in database.execute("SELECT kind, id, state FROM record"):
            copy.setdefault(kind, {})[record_id] = json.loads(state)
        print(json.dumps(copy), flush=True)
