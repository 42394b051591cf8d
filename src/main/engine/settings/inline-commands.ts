/** A command in the text of a skill, and the place of the whole mark. UTF-16 units. */
export interface InlineCommand {
  readonly command: string;
  readonly from: number;
  readonly to: number;
}

/** A line block that begins with ```!. */
const BLOCK = /^```![ \t]*\r?\n([\s\S]*?)\r?\n```[ \t]*$/;
/** A mark !`command` at the beginning of a word. */
const INLINE = /(?<![^\s(])!`([^`\n]+)`/;
const EITHER = new RegExp(`${BLOCK.source}|${INLINE.source}`, 'gm');
const BLOCK_END = /\n```[ \t]*$/gm;

/** Returns the commands of a skill's text in their order: those of line blocks, and those in a line. Pure. */
export function inlineCommands(body: string): readonly InlineCommand[] {
  const end = [...body.matchAll(BLOCK_END)].at(-1);
  // Blocks without an end are not looked for: each would take a search to the end of the text.
  const closed = end === undefined ? 0 : end.index + end[0].length;
  const found = (text: string, pattern: RegExp, start: number) =>
    [...text.matchAll(pattern)].map(({ 0: mark, 1: block, 2: inline, index }) => ({
      command: block ?? inline ?? '',
      from: start + index,
      to: start + index + mark.length,
    }));
  return [
    ...found(body.slice(0, closed), EITHER, 0),
    ...found(body.slice(closed), new RegExp(INLINE, 'g'), closed),
  ];
}
