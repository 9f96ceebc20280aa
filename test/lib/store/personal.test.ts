import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rules } from "#lib/person/kinds.ts";
import type { Item } from "#lib/store/expression.ts";
import { itemOf } from "#lib/store/members/item.ts";
import { personalAttributes } from "#lib/store/personal.ts";
import { newUser } from "#lib/store/users.ts";
import { memberOf } from "../../support/given.ts";

const left = (kind: "member" | "user", item: Item): string[] => {
  const rule = rules[kind];
  return typeof rule === "function" ? Object.keys(rule(item)) : [];
};

it("the sweep of an erasure sets every personal attribute of a member and of a profile", () => {
  const imported = { fingerprint: "a", version: 1 };
  const member = memberOf({ id: 1, owner: { id: 2 }, tier: { id: 3 } as never }, { imported });
  expect(left("member", itemOf(member)).toSorted()).toEqual([...personalAttributes.member, "refunds"].toSorted());
  const user = newUser({ sub: "s-1", username: "ana" }, new Date(0), Math.random);
  expect(left("user", user).toSorted()).toEqual([...personalAttributes.user].toSorted());
});

it("only the sweep of erasures writes personal attributes of people who are erased", () => {
  const files = globSync("{lib,functions,tools}/**/*.ts", { exclude: ["**/node_modules/**"] });
  const sweeping = files.filter((file) => readFileSync(file, "utf8").includes("sweepItem"));
  expect(sweeping.toSorted()).toEqual(["lib/person/sweep.ts", "lib/store/write.ts"]);
});
