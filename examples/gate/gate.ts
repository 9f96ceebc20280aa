import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type DomainEvent, verifyWebhook, WebhookVerificationError } from "odis/webhooks";

/** A group on another platform, such as a role of a Discord server. Adding or removing a person twice must be harmless. */
export type Group = {
  readonly add: (userId: number) => Promise<void>;
  readonly remove: (userId: number) => Promise<void>;
};

/** Keeps a group equal to the people who may enter a community, by its events `access.granted` and `access.revoked`. */
export function gate(group: Group, secret: string): Server {
  /** The newest event of each member that was applied. Keep it in a database, so that it outlives the process. */
  const applied = new Map<string, number>();

  /** Settles once the events of a member that have arrived are applied. */
  const turns = new Map<string, Promise<void>>();

  /** Applies the events of a member one at a time, in the order in which they arrive. */
  function inTurn(event: DomainEvent): Promise<void> {
    const { subject } = event;
    const applying = (turns.get(subject) ?? Promise.resolve()).then(() => apply(event));
    const turn = applying.catch(() => undefined).finally(() => turns.get(subject) === turn && turns.delete(subject));
    turns.set(subject, turn);
    return applying;
  }

  async function apply({ type, subject, sequence, data }: DomainEvent): Promise<void> {
    if (type !== "access.granted" && type !== "access.revoked") return;
    if (sequence <= (applied.get(subject) ?? 0)) return;
    const { user_id, access } = data.member;
    await (access.granted ? group.add(user_id) : group.remove(user_id));
    applied.set(subject, sequence);
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      await inTurn(await verifyWebhook(Buffer.concat(chunks), request.headers, secret));
      response.writeHead(204).end();
    } catch (error) {
      // Any other status than 2xx brings the event again.
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  }

  return createServer((request, response) => void receive(request, response));
}

/** The group of an HTTP API, such as `https://discord.com/api/guilds/<id>/members/<user>/roles/<role>`. */
export const httpGroup = (urlOf: (userId: number) => string, token: string): Group => {
  const send = (method: string) => async (userId: number) => {
    const answer = await fetch(urlOf(userId), { method, headers: { authorization: `Bot ${token}` } });
    if (!answer.ok) throw new Error(`${method} ${userId}: ${answer.status}`);
  };
  return { add: send("PUT"), remove: send("DELETE") };
};
