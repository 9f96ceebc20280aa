/** User ids of owners and of possible members. */
export const people = [3, 4, 10, 11, 12, 13, 14, 15];
