import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * Lets a client's nth call be its last, before it is sent or after it is answered: whoever used it has been killed.
 * `end` brings it back to life, and tells whether it had come so far.
 */
export function killAt(client: DynamoDBDocumentClient, nth: number, when: "before" | "after") {
  let calls = 0;
  const dead = () => new Error("Killed");
  client.middlewareStack.add(
    (next) => async (args) => {
      calls += 1;
      if (calls > nth || (calls === nth && when === "before")) throw dead();
      const answer = await next(args);
      if (calls >= nth) throw dead();
      return answer;
    },
    { step: "initialize", priority: "high", name: "kill" },
  );
  return {
    end(): boolean {
      client.middlewareStack.remove("kill");
      return calls >= nth;
    },
  };
}
