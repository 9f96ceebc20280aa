import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** A command that serves DynamoDB on a port, in memory or from a file. */
export type EngineCommand = (options: { readonly port: number; readonly file?: string }) => readonly string[];

type Lookup = {
  readonly env?: NodeJS.ProcessEnv;
  /** The file or folder that packages are looked up from. */
  readonly from?: string;
};

/**
 * The DynamoDB engine of this machine: `DYNOXIDE_BIN`, DynamoDB Local with `DYNAMODB_LOCAL_LIB`, the platform's package
 * of dynoxide, the one that `dynoxide` brought along, or `dynoxide` on the PATH, in this order: what is named goes before
 * what is found.
 *
 * @throws Error that says what to type where there is none
 */
export function findEngine({ env = process.env, from = import.meta.filename }: Lookup = {}): EngineCommand {
  const { DYNOXIDE_BIN, DYNAMODB_LOCAL_LIB, PATH = "" } = env;
  if (DYNAMODB_LOCAL_LIB && !DYNOXIDE_BIN) return dynamodbLocal(DYNAMODB_LOCAL_LIB);
  const binary =
    DYNOXIDE_BIN ||
    packaged(from) ||
    PATH.split(delimiter)
      .map((folder) => join(folder, "dynoxide"))
      .find(isExecutable);
  if (binary) return dynoxide(binary);

  const name = `@dynoxide/${platform}`;
  throw new Error(
    `There is no DynamoDB engine for ${platform}. Type "npm install --no-save ${name}@1.2.1" once, or "brew install nubo-db/tap/dynoxide"; ` +
      "or set DYNAMODB_ENDPOINT to an engine that is running, or DYNAMODB_LOCAL_LIB to the folder of DynamoDB Local's jars.",
  );
}

const platform = `${process.platform}-${process.arch}`;

/** npm may put the platform's package beside ours, or inside the wrapper `dynoxide` that asked for it. */
function packaged(from: string): string | undefined {
  const packageJson = `@dynoxide/${platform}/package.json`;
  const wrapper = resolved("dynoxide/package.json", from);
  const found = resolved(packageJson, from) ?? (wrapper && resolved(packageJson, wrapper));
  return found && join(dirname(found), "dynoxide");
}

function resolved(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const dynoxide =
  (binary: string): EngineCommand =>
  ({ port, file }) => [
    binary,
    ...`serve --host 127.0.0.1 --port ${port}`.split(" "),
    ...(file ? ["--db-path", file] : []),
  ];

/** It chooses the name of its file itself, in the folder of ours. */
const dynamodbLocal =
  (lib: string): EngineCommand =>
  ({ port, file }) => [
    "java",
    // It lives for minutes, beside what uses it: compiling and collecting on every core would cost more than it gains.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    `-Djava.library.path=${lib}`,
    `-Dsqlite4java.library.path=${lib}`,
    "-cp",
    join(lib, "*"),
    "com.amazonaws.services.dynamodbv2.local.main.ServerRunner",
    "-port",
    String(port),
    "-sharedDb",
    "-disableTelemetry",
    ...(file ? ["-dbPath", dirname(file)] : ["-inMemory"]),
  ];
