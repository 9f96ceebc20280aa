import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { startApi } from "../../support/api.ts";
import { commandLine, linesOf, outcomeOf } from "../../support/command-line.ts";
import { aCommunity } from "../../support/given.ts";

const api = startApi();
const { start, odis } = commandLine(api);

it("events listen goes on after a sender closes its connection halfway, and deletes its destination at the end", async () => {
  const { id } = await aCommunity(api.table);
  const of = ["--community", String(id)];
  const listening = start(["events", "listen", ...of]);
  const ended = outcomeOf(listening);
  const destinations = async () => linesOf((await odis(["destinations", "list", ...of])).out) as { url: string }[];
  const { url } = await vi.waitUntil(async () => (await destinations())[0], { timeout: 60_000 });

  const { hostname, port } = new URL(url);
  const sender = connect(Number(port), hostname);
  sender.write("POST / HTTP/1.1\r\nhost: odis\r\ncontent-length: 100\r\n\r\n{");
  await new Promise((sent) => setTimeout(sent, 300));
  sender.destroy();
  await once(sender, "close");
  const answer = await fetch(url, { method: "POST", body: "{}" });
  expect(answer.status).toBe(400);

  listening.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0 });
  expect(await destinations()).toEqual([]);
});
