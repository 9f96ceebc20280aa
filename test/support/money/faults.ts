type Moment = "before" | "after";

/** Called before and after each external call. The caller gets its error instead of the response. */
export type Fault = (moment: Moment) => void;

class Crash extends Error {}

/** Fails at the nth call, before or after its effect. `calls` counts the calls. */
export function crashAt(n: number, moment: Moment) {
  const crash = {
    calls: 0,
    fault: (at: Moment): void => {
      if (at === moment && ++crash.calls === n) throw new Crash();
    },
  };
  return crash;
}

/** Fails at every call after the first n, like a process that was killed. */
export function deadAfter(n: number): Fault {
  let calls = 0;
  return (moment) => {
    if (moment === "before" && calls++ >= n) throw new Crash();
  };
}

/** Injects faults into calls while a test requests it. */
export function faultInjection() {
  let current: Fault | undefined;

  /** Makes a call with the current fault, if any. */
  async function through<T>(call: () => Promise<T>): Promise<T> {
    current?.("before");
    const answer = await call();
    current?.("after");
    return answer;
  }

  /** Runs work with a fault. */
  async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
    current = fault;
    try {
      return await work();
    } finally {
      current = undefined;
    }
  }

  return { through, withFault };
}
