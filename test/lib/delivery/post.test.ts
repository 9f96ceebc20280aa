import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { post } from "#lib/delivery/post.ts";
import { machine } from "#lib/runtime.ts";

const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** A receiver that answers a request with the given bytes. `closed` resolves when its connection is closed. */
async function aRawReceiver(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => closed.resolve());
    socket.once("data", () => answer(socket));
  });
  open.push({ server, sockets });
  await new Promise<void>((ready) => void server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed: closed.promise };
}

/** Writes a text again and again until the connection is closed. */
const pour = (socket: Socket, text: string): void => {
  if (!socket.destroyed) socket.write(text, () => setTimeout(() => pour(socket, text), 5));
};

const postTo = (url: string, timeoutMs: number) =>
  post({ url, headers: {}, body: "{}", timeoutMs }, { ...machine, mayConnect: () => true });

it("a response that switches protocols is a failed attempt, and its connection is closed", async () => {
  const { url, closed } = await aRawReceiver((socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  );
  expect(await postTo(url, 15_000)).toMatchObject({ status_code: 101, error: "status" });
  await closed;
});

it.each<[string, (socket: Socket) => void]>([
  ["never responds", () => {}],
  ["sends informational responses without end", (socket) => pour(socket, "HTTP/1.1 102 Processing\r\n\r\n")],
  [
    "sends headers without end",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      pour(socket, "x: y\r\n");
    },
  ],
  ["sends half a status line", (socket) => void socket.write("HTTP/1.1 2")],
])("an attempt with a receiver that %s ends at its time limit, and the connection is closed", async (_, answer) => {
  const { url, closed } = await aRawReceiver(answer);
  expect(await postTo(url, 200)).toMatchObject({ status_code: null, error: "timeout" });
  await closed;
});

it("a body without end does not delay an attempt, and its connection is closed at the time limit", async () => {
  const { url, closed } = await aRawReceiver((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pour(socket, "1\r\nx\r\n");
  });
  expect(await postTo(url, 5000)).toMatchObject({ status_code: 200, error: null });
  await closed;
});

it("a receiver that closes the connection without a response causes a connection error", async () => {
  const { url } = await aRawReceiver((socket) => socket.end());
  expect(await postTo(url, 15_000)).toMatchObject({ status_code: null, error: "connection" });
});
