import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { startDynamoDB } from "../../tools/local/dynamodb.ts";
import { serveTable } from "../simulation/table/server.ts";
import { report } from "../support/report.ts";

/**
 * What DynamoDB does and an engine is known not to do. dynoxide: `begins_with` on a sort key ignores case (Q22), and
 * list indexes in updates go wrong (U19, U21, U22); keys and updates of ours stay clear of both. DynamoDB Local: the
 * megabyte of a page leaves out what a filter drops (Q16). The in-memory table of the simulation: nothing.
 */
const engines = [
  { engine: "dynoxide", jars: "", known: "U19,U21,U22,Q22", start: startDynamoDB },
  { engine: "DynamoDB Local", jars: process.env.DYNAMODB_LOCAL_LIB ?? "", known: "Q16", start: startDynamoDB },
  { engine: "the simulation's table", jars: "", known: "", start: serveTable },
];

it.each(engines)("$engine behaves like DynamoDB, except for $known", async ({ engine, jars, known, start }) => {
  vi.stubEnv("DYNAMODB_LOCAL_LIB", jars);
  const { endpoint, stop } = await start();
  onTestFinished(stop);
  const script = join(import.meta.dirname, "conformance.mjs");
  const run = promisify(execFile)(process.execPath, [script, "--endpoint", endpoint, "--known", known]);
  const { stdout } = await run.catch((failure: Error & { stdout: string }) => {
    throw new Error(`${engine}\n${failure.stdout}`);
  });
  const summary = stdout.trim().split("\n").at(-1) ?? "";
  report(`\n ${engine}: ${summary}`);
  expect(summary).toMatch(/ checks; core /);
});
