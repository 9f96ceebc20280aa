import { isSame, type Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";
import { type Destination, OdisProblem } from "./odis.ts";
import { ignoreMissing, isConflict } from "./problem-text.ts";
import { openedBy, type Versioned, versionOf } from "./use-records.ts";

/** Replaces the error that a rate limit was reached with one that says which limits there are. */
export const limitText =
  (text: string) =>
  (error: unknown): never => {
    throw error instanceof OdisProblem && error.code === "too_many_requests" ? new Error(text) : error;
  };

type Change = Partial<Pick<Destination, "url" | "events" | "description" | "status">>;

/** Reads and changes a destination in a form. */
export function useDestination({ id }: Destination) {
  const odis = useOdis();
  const path = { id };
  const current = async (): Promise<Versioned<Destination>> =>
    versionOf(await odis.request("get", "/odis/v1/event_destinations/{id}", { params: { path } }));

  /** Reads the destination for a form. */
  const read = (toValues?: (destination: Destination) => Values) => openedBy(current, toValues);

  /** Sends a change of the version that was read. A change whose response was lost has its effect once. */
  const change = async (etag: string | undefined, requested: Change): Promise<void> => {
    const params = { path, header: etag === undefined ? {} : { "If-Match": etag } };
    try {
      await odis.patch("/odis/v1/event_destinations/{id}", { params, body: { event_destination: requested } });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const { record } = await current();
      const isDone = Object.entries(requested).every(([name, value]) => isSame(record[name as keyof Change], value));
      if (!isDone) throw error;
    }
  };

  /** Deletes the destination, unless it is deleted already. */
  const remove = async (): Promise<void> => {
    await odis.delete("/odis/v1/event_destinations/{id}", { params: { path } }).catch(ignoreMissing);
  };

  return { read, change, remove };
}
