/**
 * Names that read time or randomness or set timers. Only `lib/runtime.ts` may use them, so that tests can control all
 * of it.
 */
const members = new Set([
  "Date.now",
  "Math.random",
  "AbortSignal.timeout",
  "crypto.randomUUID",
  "crypto.getRandomValues",
]);
const globals = new Set(["setTimeout", "setInterval", "setImmediate"]);
const imports = new Set(["randomUUID", "randomBytes", "randomInt", "randomFillSync"]);

const message = "Take time, chance and waiting from the platform (`lib/runtime.ts`).";

export default {
  meta: { name: "odis" },
  rules: {
    "no-machine": {
      create: (context) => ({
        NewExpression(node) {
          if (node.callee.name === "Date" && node.arguments.length === 0) context.report({ node, message });
        },
        MemberExpression(node) {
          if (members.has(`${node.object.name}.${node.property.name}`)) context.report({ node, message });
        },
        CallExpression(node) {
          if (globals.has(node.callee.name)) context.report({ node, message });
        },
        ImportDeclaration(node) {
          const isTimers = /^(node:)?timers/.test(node.source.value);
          for (const { imported } of node.specifiers)
            if (isTimers || imports.has(imported?.name)) context.report({ node, message });
        },
      }),
    },
  },
};
