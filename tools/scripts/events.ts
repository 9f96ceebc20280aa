import { command, run } from "../command.ts";

const program = command(
  "npm run events --",
  "Writes an example event for each function, based on the data of the running local stack.",
)
  .option("--folder <folder>", "Folder of the stack's data", ".odis")
  .option("--into <folder>", "Folder to write the events to", ".odis/events")
  .action(async ({ folder, into }: { readonly folder: string; readonly into: string }) => {
    const { writeEvents } = await import("./sam/write.ts");
    const ids = await writeEvents(folder, into);
    console.log(`${ids.length} events in ${into}`);
  });

await run(program);
