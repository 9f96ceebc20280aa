type Span = { readonly hours?: number; readonly minutes?: number; readonly seconds?: number };

/** The time so long from now. */
export const fromNow = ({ hours = 0, minutes = 0, seconds = 0 }: Span): Date =>
  new Date(Date.now() + ((hours * 60 + minutes) * 60 + seconds) * 1000);
