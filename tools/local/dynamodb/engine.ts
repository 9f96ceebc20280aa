import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

/** Returns the command that serves DynamoDB on a port, in memory or from a file. */
export type EngineCommand = (options: { readonly port: number; readonly file?: string }) => readonly string[];

type Lookup = {
  readonly env?: NodeJS.ProcessEnv;
  /** The root of the project. */
  readonly root?: string;
};

/** A folder for an engine that `npm ci` does not touch. */
const engineFolder = ".engine";

/**
 * Finds a DynamoDB engine, in this order: `DYNOXIDE_BIN`, DynamoDB Local in `DYNAMODB_LOCAL_LIB`, dynoxide's package for the
 * platform among the project's packages or in `.engine`, `dynoxide` on the PATH.
 *
 * @throws Error with installation instructions if there is none
 */
export function findEngine({
  env = process.env,
  root = join(import.meta.dirname, "../../.."),
}: Lookup = {}): EngineCommand {
  const { DYNOXIDE_BIN, DYNAMODB_LOCAL_LIB, PATH = "" } = env;
  if (DYNAMODB_LOCAL_LIB && !DYNOXIDE_BIN) return dynamodbLocal(DYNAMODB_LOCAL_LIB);
  const binary =
    DYNOXIDE_BIN ||
    packagedIn(root) ||
    packagedIn(join(root, engineFolder)) ||
    PATH.split(delimiter)
      .map((folder) => join(folder, "dynoxide"))
      .find(isExecutable);
  if (binary) return dynoxide(binary);

  throw new Error(
    `There is no DynamoDB engine for ${platform}. Type "npm install --prefix ${engineFolder} @dynoxide/${platform}@1.2.1" once; ` +
      "or set DYNAMODB_ENDPOINT to an engine that is running, or DYNAMODB_LOCAL_LIB to the folder of DynamoDB Local's jars.",
  );
}

const platform = `${process.platform}-${process.arch}`;

function packagedIn(root: string): string | undefined {
  try {
    const found = createRequire(join(root, "package.json")).resolve(`@dynoxide/${platform}/package.json`);
    return join(dirname(found), "dynoxide");
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

/** DynamoDB Local chooses the name of its file, in the folder of `file`. */
const dynamodbLocal =
  (lib: string): EngineCommand =>
  ({ port, file }) => [
    "java",
    // The process runs only for minutes, so extensive compilation and collection would not pay off.
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
