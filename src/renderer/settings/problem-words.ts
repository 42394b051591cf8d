import type { SettingsProblem } from '../../shared/settings';

/** What is wrong, without the file, line and field that its message begins with: they stand beside it. Pure. */
export function problemWords({ file, line, field, message }: SettingsProblem): string {
  const starts = [`${file}, line ${line}: `, `${file}: `, `${field}: `];
  return starts.reduce(
    (words, start) => (words.startsWith(start) ? words.slice(start.length) : words),
    message,
  );
}
