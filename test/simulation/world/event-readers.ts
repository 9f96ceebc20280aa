/** A program that reads the events of a community from time to time, and goes on from the last one that it has read. */
export type EventReader = {
  /** The ids of the events that were read, in order. */
  readonly ids: string[];
  /** Id of the event from which the reader goes on. Undefined until it has found one. */
  last: string | undefined;
  isReading: boolean;
};

/** The readers of events, by community. */
export class EventReaders {
  readonly #byCommunity = new Map<number, EventReader>();

  of(communityId: number): EventReader {
    const reader = this.#byCommunity.get(communityId) ?? { ids: [], last: undefined, isReading: false };
    this.#byCommunity.set(communityId, reader);
    return reader;
  }

  get all(): readonly (readonly [communityId: number, EventReader])[] {
    return [...this.#byCommunity];
  }
}
