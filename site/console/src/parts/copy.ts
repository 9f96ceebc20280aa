import { announce } from "./announce.tsx";

/**
 * Copies a text, or shows it in a dialog of the browser if the browser does not allow that.
 *
 * @param noun what the text is: `link to pay`
 */
export async function copy(text: string, noun: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`The ${noun} was copied.`);
  } catch {
    prompt(`The browser does not allow copying. Copy the ${noun} here:`, text);
  }
}
