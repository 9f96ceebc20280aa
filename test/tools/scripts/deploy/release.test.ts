import { describe, expect, it } from "vitest";
import { type Running, release, type Steps } from "../../../../tools/scripts/deploy/release.ts";

type Given = {
  readonly running?: Running;
  readonly answer?: boolean;
  /** Problems that the smoke test finds in the new version, and in the previous version after it is deployed again. */
  readonly wrong?: readonly string[];
  readonly stillWrong?: readonly string[];
  /** Whether the previous version is in maintenance. */
  readonly wasClosed?: boolean;
  readonly fails?: boolean;
  readonly isClosed?: boolean;
  readonly refusals?: readonly string[];
  /** State of the stack after the operator has answered. */
  readonly meanwhile?: Running;
};

/** Runs a release, and returns its actions in order. */
async function released({
  running,
  answer = true,
  wrong = [],
  stillWrong = [],
  fails = false,
  isClosed = false,
  wasClosed = false,
  meanwhile = running,
  refusals = [],
}: Given) {
  const done: string[] = [];
  let isAnswered = false;
  const said: string[] = [];
  const steps: Steps = {
    running: async () => (isAnswered ? meanwhile : running),
    prepare: async (isFirst) => void done.push(isFirst ? "prepare the first" : "prepare"),
    refusals: async () => refusals,
    diff: async () => void done.push("diff"),
    ask: async () => {
      isAnswered = true;
      return answer;
    },
    deploy: async (triggers) => {
      done.push(["deploy", ...(triggers ?? ["without triggers"])].join(" "));
      if (fails) throw new Error("cdk deploy failed");
    },
    protect: async () => void done.push("protect"),
    smoke: async (template) => {
      done.push(template === undefined ? "smoke" : `smoke ${template}`);
      if (template === undefined ? isClosed : wasClosed) return undefined;
      return template === undefined ? wrong : stillWrong;
    },
    restore: async (template) => void done.push(`restore ${template}`),
    resetAlarms: async () => {
      done.push("reset alarms");
      return ["odis-prod-Outage"];
    },
    say: (line) => void said.push(line),
  };
  const outcome = await release(steps).catch((error: Error) => error.message);
  return { outcome, done, said };
}

const running: Running = { template: "before", triggers: ["alarm:a", "alarm:b"], isSilent: false };

describe("a release", () => {
  it.each<[string, Given, { outcome: boolean | string; done: string[] }]>([
    [
      "of the first version watches no alarms and is protected once it has succeeded",
      {},
      { outcome: true, done: ["prepare the first", "diff", "deploy without triggers", "protect", "smoke"] },
    ],
    [
      "of a later version is rolled back by the alarms of the deployed one",
      { running },
      { outcome: true, done: ["prepare", "diff", "deploy alarm:a alarm:b", "protect", "smoke"] },
    ],
    [
      "that ends maintenance sets the alarms to OK, so that a fault that is still there notifies again",
      { running: { ...running, isSilent: true } },
      { outcome: true, done: ["prepare", "diff", "deploy alarm:a alarm:b", "protect", "smoke", "reset alarms"] },
    ],
    [
      "that continues maintenance leaves the alarms as they are",
      { running: { ...running, isSilent: true }, isClosed: true },
      { outcome: true, done: ["prepare", "diff", "deploy alarm:a alarm:b", "protect", "smoke"] },
    ],
    [
      "of maintenance stays deployed without a check",
      { running, wrong: ["GET /health answered 429"], isClosed: true },
      { outcome: true, done: ["prepare", "diff", "deploy alarm:a alarm:b", "protect", "smoke"] },
    ],
    ["that AWS would roll back changes nothing", { running, refusals: ["a"] }, { outcome: false, done: ["prepare"] }],
    [
      "that was confirmed after another deployment changes nothing",
      { running, meanwhile: { template: "another", triggers: [], isSilent: false } },
      {
        outcome: "Somebody else has deployed in the meantime: deploy again to see what would change now",
        done: ["prepare", "diff"],
      },
    ],
    [
      "that was prepared as the first one changes nothing if another has completed in the meantime",
      { meanwhile: running },
      {
        outcome: "Somebody else has deployed in the meantime: deploy again to see what would change now",
        done: ["prepare the first", "diff"],
      },
    ],
    ["that nobody wants changes nothing", { running, answer: false }, { outcome: false, done: ["prepare", "diff"] }],
    [
      "that CloudFormation rolls back is not checked",
      { running, fails: true },
      { outcome: "cdk deploy failed", done: ["prepare", "diff", "deploy alarm:a alarm:b"] },
    ],
    [
      "of a first version that fails is not protected, so that it can be deleted",
      { fails: true },
      { outcome: "cdk deploy failed", done: ["prepare the first", "diff", "deploy without triggers"] },
    ],
    [
      "that fails its check is replaced by the previous version",
      { running, wrong: ["/health answers 500"] },
      {
        outcome: false,
        done: ["prepare", "diff", "deploy alarm:a alarm:b", "protect", "smoke", "restore before", "smoke before"],
      },
    ],
    [
      "of a first version that fails its check stays for inspection",
      { wrong: ["/health answers 500"] },
      { outcome: false, done: ["prepare the first", "diff", "deploy without triggers", "protect", "smoke"] },
    ],
  ])("a release %s", async (_, given, expected) => {
    expect(await released(given)).toMatchObject(expected);
  });

  it("a release prints the problems of the new version and of the restored one", async () => {
    const { said } = await released({ running, wrong: ["a"], stillWrong: ["b"] });
    expect(said).toEqual(["WRONG  a", "Deploying the previous version again.", "WRONG  b"]);
  });

  it("a release that ends maintenance and fails its check says that the stage is in maintenance again", async () => {
    const { outcome, said } = await released({
      running: { ...running, isSilent: true },
      wrong: ["a"],
      wasClosed: true,
    });
    expect(outcome).toBe(false);
    expect(said).toEqual([
      "WRONG  a",
      "Deploying the previous version again.",
      "The stage is in maintenance again: nothing responds until a deployment ends it.",
    ]);
  });
});
