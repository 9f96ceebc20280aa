/** How good or bad something is, for the color of a badge or a notice. */
export type Tone = "good" | "warning" | "danger" | "neutral";
