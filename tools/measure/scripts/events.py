#!/usr/bin/env python3
"""The readers of tools/bench events. The environment has KEY_ID and SECRET of a merchant's key.

events.py pages URL QUERY [N]    reads N pages, each behind the one before, and from the beginning again behind the last; writes for
                                 each how many milliseconds it took
events.py read URL COUNT         follows the log from its beginning until it has seen COUNT events, each of them once
events.py follow URL FILE        follows the log from its end until it is ended; says `follows` once it waits, and writes to FILE how
                                 many events it has seen
events.py wait URL N             N connections that wait for events of a merchant who has none; says `waits` once all do
"""
import asyncio, json, os, resource, sys, time, urllib.parse

sys.dont_write_bytecode = True
from fairness import client

log = "/v1/events"


class follower:
    """Reads on after the events that it has read. No event may come twice."""

    def __init__(self, url):
        self.by, self.seen, self.position = client(url), set(), ""

    async def look(self, query):
        answer = await page(self.by, log + "?" + query + (self.position and "&after=" + self.position))
        self.position = urllib.parse.quote(answer["next"])
        for each in answer["events"]:
            if each["id"] in self.seen:
                sys.exit("an event came twice: " + each["id"])
            self.seen.add(each["id"])


async def page(by, path):
    status, _, body = await by.signed("GET", path)
    if status != 200:
        sys.exit("%s: %d %s" % (path, status, body.decode(errors="replace")))
    return json.loads(body)


async def pages(url, query, count="200"):
    by, path = client(url), query
    # Only the request for the first page says where the list begins.
    further = "&".join(each for each in query.split("&") if not each.startswith("from="))
    await by.open()
    for _ in range(int(count)):
        began = time.perf_counter()
        answer = await page(by, path)
        print("%.3f" % (1000 * (time.perf_counter() - began)))
        after = answer.get("next")
        # The log of events has no last page.
        ends = not after or not next((each for name, each in answer.items() if name != "next"), [])
        path = query if ends else further + "&after=" + urllib.parse.quote(after)


async def read(url, count):
    by = follower(url)
    while len(by.seen) < int(count):
        before = len(by.seen)
        await by.look("limit=100")
        if len(by.seen) == before:
            sys.exit("the log ends after %d of %s events" % (before, count))


async def follow(url, file):
    by = follower(url)
    by.position = "end"
    await by.look("limit=100")
    print("follows", flush=True)
    while True:
        with open(file, "w") as out:
            out.write(str(len(by.seen)))
        await by.look("limit=100&wait=30")


async def wait(url, count):
    count = int(count)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    ready = 0
    opening = asyncio.Semaphore(32)  # a gateway closes connections whose TLS handshake takes long

    # Their waits end one after the other, as those of clients that began at different times do.
    async def one(number):
        nonlocal ready
        by = follower(url)
        by.position = "end"
        async with opening:
            await by.look("wait=0")
        ready += 1
        if ready == count:
            print("waits", flush=True)
        await by.look("wait=%d" % (1 + number * 29 // count))
        while True:
            await by.look("wait=30")

    await asyncio.gather(*(one(number) for number in range(count)))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    asyncio.run({"pages": pages, "read": read, "follow": follow, "wait": wait}[sys.argv[1]](*sys.argv[2:]))
