import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Odis } from "odis/client";
import { type DomainEvent, verifyWebhook, WebhookVerificationError } from "odis/webhooks";

/** A group on another platform, such as a role of a Discord server. Adding or removing a person twice must be harmless. */
export type Group = {
  readonly add: (userId: number) => Promise<void>;
  readonly remove: (userId: number) => Promise<void>;
};

/** Whether a person may enter, as of a sequence of their member. */
type Access = {
  readonly subject: string;
  readonly sequence: number;
  readonly userId: number;
  readonly isGranted: boolean;
};

export type Gate = {
  /** Receives webhooks. */
  readonly server: Server;
  /** Reads all members. @returns the event to read on from, if the list has one */
  readonly readMembers: () => Promise<string | undefined>;
  /** Applies the events after the given one, or all that are listed. @returns the event to read on from */
  readonly readOn: (after: string | undefined) => Promise<string | undefined>;
};

/** Keeps a group equal to the people who may enter a community, by its events `access.granted` and `access.revoked`. */
export function openGate(group: Group, secret: string, odis: Odis, community_id: number): Gate {
  /** What was last applied of each member. Keep it in a database, so that it outlives the process. */
  const applied = new Map<string, Access>();

  /** Settles once the events of a member that have arrived are applied. */
  const turns = new Map<string, Promise<void>>();

  /** Runs the changes of a member one at a time, in the order in which they arrive. */
  function inTurn(subject: string, change: () => Promise<void>): Promise<void> {
    const applying = (turns.get(subject) ?? Promise.resolve()).then(change);
    const turn = applying.catch(() => undefined).finally(() => turns.get(subject) === turn && turns.delete(subject));
    turns.set(subject, turn);
    return applying;
  }

  async function apply(access: Access): Promise<void> {
    const { subject, sequence, userId, isGranted } = access;
    if (sequence <= (applied.get(subject)?.sequence ?? 0)) return;
    await (isGranted ? group.add(userId) : group.remove(userId));
    applied.set(subject, access);
  }

  /** Removes a person whose member is no longer listed, unless an event of the member was applied in the meantime. */
  async function removeUnlisted(access: Access): Promise<void> {
    const { subject, sequence, userId, isGranted } = access;
    if (!isGranted || applied.get(subject)?.sequence !== sequence) return;
    // A person who has joined again since then has another member.
    const hasRejoined = applied
      .values()
      .some((other) => other.subject !== subject && other.userId === userId && other.isGranted);
    if (!hasRejoined) await group.remove(userId);
    applied.set(subject, { ...access, isGranted: false });
  }

  async function follow({ type, subject, sequence, data }: DomainEvent): Promise<void> {
    if (type !== "access.granted" && type !== "access.revoked") return;
    const { user_id: userId, access } = data.member;
    await inTurn(subject, () => apply({ subject, sequence, userId, isGranted: access.granted }));
  }

  async function readMembers(): Promise<string | undefined> {
    const path = { community_id };
    const unlisted = new Map(applied);
    const { data } = await odis.get("/odis/v1/communities/{community_id}/events", {
      params: { path, query: { per: 1 } },
    });
    for await (const { id, sequence, user, access } of odis.iterate("/odis/v1/communities/{community_id}/members", {
      params: { path },
    })) {
      const subject = `communities/${community_id}/members/${id}`;
      unlisted.delete(subject);
      await inTurn(subject, () => apply({ subject, sequence, userId: user.id, isGranted: access.granted }));
    }
    // After a restore, Odis no longer knows the members who were added after the point in time.
    for (const access of unlisted.values()) await inTurn(access.subject, () => removeUnlisted(access));
    return data[0]?.id;
  }

  async function readOn(after: string | undefined): Promise<string | undefined> {
    const query = after === undefined ? {} : { after };
    let [last, newest] = [after, undefined as string | undefined];
    for await (const event of odis.iterate("/odis/v1/communities/{community_id}/events", {
      params: { path: { community_id }, query },
    })) {
      await follow(event as DomainEvent);
      newest ??= event.id;
      last = event.id;
    }
    // Without `after`, the newest event comes first.
    return after === undefined ? newest : last;
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await follow(await verifyWebhook(Buffer.concat(chunks), request.headers, secret));
      response.writeHead(204).end();
    } catch (error) {
      // Any other status than 2xx brings the event again. A client that closes the connection gets none.
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
    }
  }

  const server = createServer((request, response) => void receive(request, response));
  return { server, readMembers, readOn };
}

/** The group of an HTTP API, such as `https://discord.com/api/guilds/<id>/members/<user>/roles/<role>`. */
export const httpGroup = (urlOf: (userId: number) => string, token: string): Group => {
  const send = (method: string) => async (userId: number) => {
    const answer = await fetch(urlOf(userId), { method, headers: { authorization: `Bot ${token}` } });
    if (!answer.ok) throw new Error(`${method} ${userId}: ${answer.status}`);
  };
  return { add: send("PUT"), remove: send("DELETE") };
};
