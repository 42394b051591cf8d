import type { SettingsProblem } from './settings';

/** Returns a problem as one line that names its file and line, once. Pure. */
export function problemLine({ file, line, message }: SettingsProblem): string {
  if (message.includes(file)) return message;
  return `${line === undefined ? file : `${file}, line ${line}`}: ${message}`;
}
