/** docs/hooks.md: texts of hooks are cut at this length. UTF-16 units. */
export const MAX_HOOK_TEXT = 10_000;

/** Cuts a text to its limit; one that was cut says so. Never cuts a character in half. */
export function cap(text: string, limit = MAX_HOOK_TEXT): string {
  if (text.length <= limit) return text;
  const mark = `… (cut, ${text.length} characters in all)`;
  return `${text.slice(0, limit - mark.length).replace(/[\uD800-\uDBFF]$/, '')}${mark}`;
}
