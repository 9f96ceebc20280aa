/** A bar on a terminal; nothing where the output goes elsewhere. */
export function progress(what: string, total: number): { step(): void; end(): void } {
  const { stderr } = process;
  let done = 0;
  const show = () => {
    if (!stderr.isTTY || total === 0) return;
    const filled = Math.round((done / total) * 30);
    stderr.write(`\r${what} ${"█".repeat(filled)}${"░".repeat(30 - filled)} ${done}/${total}`);
  };
  show();
  return {
    step() {
      done++;
      show();
    },
    end: () => void (stderr.isTTY && total > 0 && stderr.write("\n")),
  };
}
