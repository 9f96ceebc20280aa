/** User ids of owners and of possible members. */
export const people = [3, 4, 10, 11, 12, 13, 14, 15];

/** User ids of more possible members, so that each pair of acts is about a member of its own. */
export const morePeople = Array.from({ length: 16 }, (_, n) => 50 + n);
