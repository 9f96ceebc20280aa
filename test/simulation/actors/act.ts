import type { Scene } from "./scene.ts";

export type Act = (scene: Scene) => Promise<unknown>;

/** What an actor does, with how often it does each. */
export type Repertoire = { readonly weight: number; readonly acts: Readonly<Record<string, readonly [number, Act]>> };
