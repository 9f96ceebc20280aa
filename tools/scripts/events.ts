import { parseArgs } from "node:util";
import { eventsFolder, writeEvents } from "./sam/write.ts";

/** `npm run events`: an event for each function, about the data of the running stack. */
const { values: options } = parseArgs({
  options: { folder: { type: "string", default: ".odis" }, into: { type: "string", default: eventsFolder } },
});

const ids = await writeEvents(options.folder, options.into);
console.log(`${ids.length} events in ${options.into}`);
