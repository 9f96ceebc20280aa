import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** `npm run token -- --user 7 --groups admin --expires-in 60`: prints an access token for the running stack. */
const { values: options } = parseArgs({
  options: {
    user: { type: "string" },
    groups: { type: "string", default: "" },
    "expires-in": { type: "string", default: String(24 * 60 * 60) },
    folder: { type: "string", default: ".odis" },
  },
});

const user = Number(options.user);
const expires_in = Number(options["expires-in"]);
if (!Number.isSafeInteger(user) || user < 1 || !Number.isSafeInteger(expires_in)) {
  console.error("Usage: npm run token -- --user 7 [--groups admin,editor] [--expires-in seconds]");
  process.exit(2);
}

const local = await readFile(join(options.folder, "local.json"), "utf8").catch(() => {
  console.error("No stack is running here. Start it first: npm start");
  process.exit(1);
});
const { control_url } = JSON.parse(local) as { control_url: string };
const groups = options.groups.split(",").filter(Boolean);
const response = await fetch(`${control_url}/tokens`, {
  method: "POST",
  body: JSON.stringify({ user, groups, expires_in }),
});
console.log(await response.text());
