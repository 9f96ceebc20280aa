/** Owners and those who may become members, by their ids. */
export const people = [3, 4, 10, 11, 12, 13, 14, 15];
