const paths = {
  overview: "M4 13h6V4H4v9Zm0 7h6v-4H4v4Zm10 0h6v-9h-6v9Zm0-16v4h6V4h-6Z",
  members: "M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 9c0-4 3-6 7-6s7 2 7 6M17 4a4 4 0 0 1 0 7m2 4c2 .8 3 2.6 3 5",
  tiers: "m12 3 9 5-9 5-9-5 9-5Zm-9 9.5 9 5 9-5M3 17l9 5 9-5",
  benefits: "M4 11h16v9H4zM3 7h18v4H3zm9 0v13M12 7S7 7 7 4.5 11 3 12 7Zm0 0s5 0 5-2.5S13 3 12 7Z",
  activity: "M3 12h4l3-8 4 16 3-8h4",
  payments: "M3 6h18v12H3zM3 10h18M7 15h3",
  team: "M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 10c0-4 3.5-7 8-7m3 6 2 2 5-5",
  destinations: "M3 12h4m10 0h4M12 3v4m0 10v4m5-9a5 5 0 1 1-10 0 5 5 0 0 1 10 0Z",
  keys: "M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm3-7 8-8m-3 3 3 3",
  settings: "M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4",
  communities: "M4 11 12 4l8 7v9h-5v-6H9v6H4v-9Z",
  brands: "M8 3h8l-1 5c3 2 4 4 4 7a6 6 0 0 1-6 6h-2a6 6 0 0 1-6-6c0-3 1-5 4-7L8 3Zm-2 11h12",
  switch: "m8 9 4-5 4 5M8 15l4 5 4-5",
  up: "m6 15 6-6 6 6",
  down: "m6 9 6 6 6-6",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5",
  back: "m14 6-6 6 6 6",
} as const;

export type IconName = keyof typeof paths;

/** An icon beside a text. Hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
