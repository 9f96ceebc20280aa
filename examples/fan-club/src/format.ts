const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  trailingZeroDisplay: "stripIfInteger",
});
const dates = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "long", year: "numeric" });

export const priceOf = (amount: number): string => (amount === 0 ? "Free" : dollars.format(amount));
export const dateOf = (timestamp: string): string => dates.format(new Date(timestamp));
export const membersOf = (count: number): string =>
  count === 1 ? "1 member" : `${count.toLocaleString("en-US")} members`;
