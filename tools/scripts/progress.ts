const width = 30;

/** Shows on a terminal, and nowhere else, how far something is. */
export function progressBar(stream: NodeJS.WriteStream) {
  const clear = (): void => {
    if (stream.isTTY) stream.write("\r\u001b[K");
  };
  return {
    clear,
    show(done: number, all: number, what: string): void {
      if (!stream.isTTY || all === 0) return;
      const full = Math.round((width * done) / all);
      clear();
      stream.write(`${"█".repeat(full)}${"░".repeat(width - full)} ${done}/${all} ${what}`);
    },
  };
}

/** Shows on a terminal, and nowhere else, how far something is whose end is not known. */
export function progressLine(stream: NodeJS.WriteStream) {
  const { clear } = progressBar(stream);
  return {
    clear,
    show(what: string): void {
      if (!stream.isTTY) return;
      clear();
      stream.write(what);
    },
  };
}
