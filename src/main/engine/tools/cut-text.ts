/** The beginning of a text, at most `max` UTF-16 units long. Never cuts a character in two. */
export function cutText(text: string, max: number): string {
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
