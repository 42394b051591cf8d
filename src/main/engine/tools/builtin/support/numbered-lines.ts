/** Longer lines are cut; minified files would otherwise fill the context. Characters. */
export const MAX_LINE_CHARS = 2000;

/** Lines with their numbers in front, as `cat -n` prints them. `first` is the number of the first one. */
export const numberLines = (lines: readonly string[], first: number): string =>
  lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}`).join('\n');

/** Cuts a line to {@link MAX_LINE_CHARS}, with a mark where it was cut. Never cuts a character in two. */
export function cutLine(line: string, length = line.length): string {
  if (length <= MAX_LINE_CHARS) return line;
  return `${cutText(line, MAX_LINE_CHARS)}… [line cut: ${length} characters]`;
}

/** Returns the beginning of a text, at most `max` UTF-16 units long. Never cuts a character in two. */
export function cutText(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
