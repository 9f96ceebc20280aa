import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Entry } from "#lib/discovery/columns.ts";
import { fold } from "#lib/domain/fold.ts";
import { freePort } from "../local/dynamodb/process.ts";
import { callerId } from "./directories.ts";

export type Postgres = {
  /**
   * Returns a page of 20 with its exact total and the caller's role in each, and the time that psql waited, in
   * milliseconds.
   */
  ask(query: string): Promise<{ readonly ms: number; readonly total: number }>;
  stop(): Promise<void>;
};

const schema = `
CREATE EXTENSION pg_trgm;
CREATE TABLE communities (id bigint PRIMARY KEY, uuid uuid, name text, folded text COLLATE "C", slug text,
  avatar_url text, member_count int);
CREATE TABLE memberships (user_id bigint, community_id bigint, badge text, PRIMARY KEY (user_id, community_id));
\\copy communities FROM 'communities.tsv'
INSERT INTO memberships SELECT ${callerId}, id, 'Friend' FROM communities WHERE id <= 10;
CREATE INDEX ON communities USING gin (folded gin_trgm_ops);
CREATE INDEX ON communities (member_count DESC, folded, uuid);
VACUUM ANALYZE;`;

const page = `
PREPARE page (text) AS
SELECT page.*, m.badge, m.user_id IS NOT NULL AS is_member,
  (SELECT count(*) FROM communities WHERE folded LIKE $1) AS total
FROM (SELECT id, uuid, name, slug, member_count, avatar_url FROM communities WHERE folded LIKE $1
  ORDER BY member_count DESC, folded, uuid LIMIT 20) page
LEFT JOIN memberships m ON m.user_id = ${callerId} AND m.community_id = page.id;`;

/** Starts Debian's PostgreSQL on loopback with these communities. Undefined if it is not installed. */
export async function startPostgres(entries: readonly Entry[]): Promise<Postgres | undefined> {
  const [bin] = globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed();
  if (bin === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "odis-postgres-"));
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const [uid, gid] = ["-u", "-g"].map((flag) => (isRoot ? Number(execFileSync("id", [flag, "postgres"])) : undefined));
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const as = { cwd: folder, ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
  const data = join(folder, "data");
  const port = await freePort();

  execFileSync(join(bin, "initdb"), ["-D", data, "-A", "trust", "-U", "odis", "-E", "UTF8"], {
    ...as,
    stdio: "ignore",
  });
  const options = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", folder];
  const tuned = ["shared_buffers=512MB", "jit=off", "fsync=off", "plan_cache_mode=force_custom_plan"];
  const settings = [...options, ...tuned.flatMap((setting) => ["-c", setting])];
  const server = spawn(join(bin, "postgres"), settings, { ...as, stdio: "ignore" });
  const connection = ["-h", "127.0.0.1", "-p", String(port), "-U", "odis", "-d", "postgres", "-X", "-q"];
  for (let tried = 0; !isReady(bin, port); tried++) {
    if (tried > 100) throw new Error("PostgreSQL does not start");
    await wait(100);
  }
  await writeFile(join(folder, "communities.tsv"), entries.map(lineOf).join(""), { mode: 0o644 });
  execFileSync(join(bin, "psql"), [...connection, "-v", "ON_ERROR_STOP=1"], { ...as, input: schema });

  const client = spawn(join(bin, "psql"), [...connection, "-A", "-t", "-F", "\t"], {
    ...as,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  client.stdin.write(`${page}\n\\timing on\n`);

  return {
    async ask(query) {
      const pattern = `%${fold(query).replaceAll("'", "''")}%`;
      client.stdin.write(`EXECUTE page('${pattern}');\n`);
      let total = 0;
      for (;;) {
        const { value: line = "", done } = await lines.next();
        if (done) throw new Error("psql has ended");
        const time = /^Time: ([\d.]+) ms/.exec(line);
        if (time) return { ms: Number(time[1]), total };
        total = Number(line.split("\t").at(-1));
      }
    },
    async stop() {
      client.stdin.end();
      const ended = once(server, "exit");
      server.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const lineOf = ({ id, uuid, name, slug, avatar_url, member_count }: Entry): string =>
  `${[id, uuid, name, fold(name), slug, avatar_url ?? "\\N", member_count].join("\t")}\n`;

function isReady(bin: string, port: number): boolean {
  try {
    execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
