import type { Scene } from "./scene.ts";

export type Act = (scene: Scene) => Promise<unknown>;

/** The acts of an actor, each with its weight. */
export type Repertoire = { readonly weight: number; readonly acts: Readonly<Record<string, readonly [number, Act]>> };
