import type { World } from "../world/world.ts";

/** What must hold as soon as nobody is at work. */
export async function atOnce(_world: World): Promise<void> {}

/** What must hold once everything has had its time. */
export async function afterwards(_world: World): Promise<void> {}
