/** A hue in degrees. Those of consecutive ids are far apart, because they differ by the golden angle. */
export const hueOf = (id: number): number => Math.round((id * 137.508) % 360);

/** `Mezcal Circle` → `MC` */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map(([first = ""]) => first.toUpperCase())
    .join("");
