import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startDemoStack } from "../../../../tools/local/demo-stack.ts";
import { temporaryFolder } from "../../../support/set-up.ts";

const folder = temporaryFolder();
const doctor = () => promisify(execFile)(process.execPath, ["tools/scripts/doctor.ts", "--local", "--folder", folder]);

it("npm run doctor -- --local finds no fault in the stack of npm start, and says if none is running", async () => {
  const stack = await startDemoStack({ port: 0, folder });
  const { stdout } = await doctor();
  await stack.stop();
  expect(stdout).toMatch(/^\d checks: no faults, none could not be checked\n$/);
  await expect(doctor()).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Nothing could be checked: No stack is running in /) as string,
  });
});
