const width = 30;

/** Shows a progress bar if the stream is a terminal. */
export function progressBar(stream: NodeJS.WriteStream) {
  const clear = (): void => {
    if (stream.isTTY) stream.write("\r\u001b[K");
  };
  return {
    clear,
    show(done: number, total: number, label: string): void {
      if (!stream.isTTY || total === 0) return;
      const full = Math.round((width * done) / total);
      clear();
      stream.write(`${"█".repeat(full)}${"░".repeat(width - full)} ${done}/${total} ${label}`);
    },
  };
}

/** Shows a progress line without a total if the stream is a terminal. */
export function progressLine(stream: NodeJS.WriteStream) {
  const { clear } = progressBar(stream);
  return {
    clear,
    show(label: string): void {
      if (!stream.isTTY) return;
      clear();
      stream.write(label);
    },
  };
}
