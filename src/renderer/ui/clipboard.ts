/** Writes text to the clipboard. Rejects where the page has none (an insecure origin) or it refuses. */
export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard === undefined) throw new Error('no clipboard');
  await navigator.clipboard.writeText(text);
}

/** Reads the text in the clipboard. Rejects where the page may not. */
export async function readClipboard(): Promise<string> {
  if (navigator.clipboard === undefined) throw new Error('no clipboard');
  return navigator.clipboard.readText();
}
