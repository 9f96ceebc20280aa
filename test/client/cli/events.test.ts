import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { startApi } from "../../support/api.ts";
import { commandLine, linesOf, outcomeOf, repeatedSigint, serve } from "../../support/command-line.ts";
import { aCommunity } from "../../support/given.ts";

const api = startApi();
const { start, odis } = commandLine(api);

it("events listen goes on after a sender closes its connection halfway, and deletes its destination if npm repeats Ctrl-C", async () => {
  const { id } = await aCommunity(api.table);
  const of = ["--community", String(id)];
  const listening = start(["events", "listen", ...of], { NODE_OPTIONS: repeatedSigint });
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

it("events listen --forward-to says which events were not accepted, and answers so that they are sent again", async () => {
  const { id } = await aCommunity(api.table);
  let status = 500;
  const receiver = await serve(({ url: path }, response) =>
    response.writeHead(path === "/" ? status : 204, { location: "/elsewhere" }).end(),
  );
  const listening = start(["events", "listen", "--community", String(id), "--forward-to", receiver.apiUrl]);
  let said = "";
  listening.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const saying = (text: string) => vi.waitUntil(() => said.includes(text), { timeout: 60_000 });
  const secret = await vi.waitUntil(() => /The secret is whsec_(\S+)\. /.exec(said)?.[1], { timeout: 60_000 });
  const [destination] = linesOf((await odis(["destinations", "list", "--community", String(id)])).out);
  const { url } = destination as { url: string };
  const deliver = async () => {
    const [now, body] = [Math.floor(Date.now() / 1000), JSON.stringify({ type: "access.granted" })];
    const signature = createHmac("sha256", Buffer.from(secret, "base64"))
      .update(`msg_1.${now}.${body}`)
      .digest("base64");
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(now),
      "webhook-signature": `v1,${signature}`,
    };
    return (await fetch(url, { method: "POST", headers, body })).status;
  };

  expect(await deliver()).toBe(500);
  await saying(`Not accepted: ${receiver.apiUrl} responded with 500\n`);
  status = 302;
  expect(await deliver()).toBe(302);
  await saying(`Not accepted: ${receiver.apiUrl} responded with 302\n`);
  receiver.close();
  expect(await deliver()).toBe(502);
  await saying(`Not forwarded: ${receiver.apiUrl} cannot be reached: connect ECONNREFUSED`);
  listening.kill("SIGINT");
  expect(await once(listening, "exit")).toEqual([0, null]);
});
