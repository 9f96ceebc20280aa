type Moment = "before" | "after";

/** Is told before and after each call that leaves the process. What it throws, the caller gets in place of the answer. */
export type Fault = (moment: Moment) => void;

class Crash extends Error {}

/** Fails at the nth call, before or after that has had its effect; `calls` says how many there were. */
export function crashAt(n: number, moment: Moment) {
  const crash = {
    calls: 0,
    fault: (at: Moment): void => {
      if (at === moment && ++crash.calls === n) throw new Crash();
    },
  };
  return crash;
}

/** Fails at every call after the first n, as if the process had ended there. */
export function deadAfter(n: number): Fault {
  let calls = 0;
  return (moment) => {
    if (moment === "before" && calls++ >= n) throw new Crash();
  };
}

/** Makes calls fail where and while a test says so. */
export function faultInjection() {
  let current: Fault | undefined;

  /** Makes a call with the fault of this moment, if there is one. */
  async function through<T>(call: () => Promise<T>): Promise<T> {
    current?.("before");
    const answer = await call();
    current?.("after");
    return answer;
  }

  /** Does some work while calls fail as the fault says. */
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
