/** A number from 0 to 2^32 − 1 that is always the same for a text. */
function hashOf(text: string): number {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash;
}

const hues = [18, 38, 62, 140, 190, 255, 330];
const leaf = "M0 0C17-48 14-112 0-158C-14-112-17-48 0 0Z";

const Leaves = () =>
  [-84, -63, -42, -21, 0, 21, 42, 63, 84].map((angle) => <path key={angle} d={leaf} transform={`rotate(${angle})`} />);
const Rings = () => [150, 122, 96, 72, 50, 30, 12].map((radius) => <circle key={radius} r={radius} />);
const Smoke = () =>
  [0, 26, 52, 78, 104, 130].map((rise) => (
    <path key={rise} d={`M-260 ${-rise}c60-50 110 34 170-8s90-56 150-14 110 30 200-22V80h-520Z`} />
  ));
const motifs = [Leaves, Rings, Smoke];

/** A picture of a community in its own colours, for those that have none. It says nothing, so it has no name. */
export function Art({ seed, class: name }: { readonly seed: string; readonly class?: string }) {
  const hash = hashOf(seed);
  const Motif = motifs[hash % motifs.length] ?? Leaves;
  const hue = hues[(hash >>> 8) % hues.length];
  return (
    <svg
      class={`art ${name ?? ""}`}
      style={{ "--hue": hue }}
      viewBox="-200 -150 400 200"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <rect class="sky" x="-400" y="-300" width="800" height="600" />
      <circle class="sun" cx="96" cy="-84" r="30" />
      <g class="motif" transform="translate(0 44)">
        <Motif />
      </g>
    </svg>
  );
}
