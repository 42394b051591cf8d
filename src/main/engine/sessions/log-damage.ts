import type { DurableEvent } from '../../../shared/agent-event';
import type { SettingsProblem } from '../../../shared/settings';
import type { LogFindings, LogLine } from './load';

/** The code of notices about a session's file. */
const FILE_NOTICE = 'session_file';

/** Returns the notice of a problem with a session's file. */
export const problemNotice = ({ file, message }: SettingsProblem): DurableEvent => ({
  ...{ type: 'notice', level: 'warning', code: FILE_NOTICE },
  text: `${message} The file: ${file}`,
});

/** Says how much is left of a log that lost its first line. */
export const lostStart = ({ length }: readonly LogLine[]): string =>
  length === 0
    ? "Nothing in this session's file could be read, and no byte of it was thrown away."
    : "The beginning of this session's file is lost. What follows it is there.";

/** Says in one problem what is wrong with a session's file: `found` at this opening, and lines that cannot be read. */
export function damageOf(
  file: string,
  badLines: readonly number[],
  found: readonly string[],
): SettingsProblem | null {
  const [line] = badLines;
  if (line === undefined && found.length === 0) return null;
  const message = [...found, ...(line === undefined ? [] : [badLineWords(badLines)])].join(' ');
  return { file, ...(line === undefined ? {} : { line }), message, level: 'warning' };
}

/**
 * Says what is missing from what is only read of a session's file, its torn end too; null when nothing is, or its notices
 * tell of it. `lines`: those that count, where they are all at hand.
 */
export function damageSeen(
  file: string,
  { badLines, wholeBytes, totalBytes }: LogFindings,
  lines: readonly LogLine[] | null,
): SettingsProblem | null {
  const torn = totalBytes - wholeBytes;
  const isLost = lines?.some(({ event }) => event.type === 'session_started') === false;
  const isKnown = lines !== null && toldBefore(lines, badLines);
  return damageOf(file, isKnown ? [] : badLines, [
    ...(isLost ? [lostStart(lines)] : []),
    ...(torn > 0 ? [`The last line of this session's file is torn (${torn} bytes).`] : []),
  ]);
}

function badLineWords(badLines: readonly number[]): string {
  const many = badLines.length !== 1;
  const numbers = `${badLines.slice(0, 5).join(', ')}${badLines.length > 5 ? ', …' : ''}`;
  return `${badLines.length} line${many ? 's' : ''} of this session's file could not be read and ${many ? 'were' : 'was'} passed over (line ${numbers}).`;
}

/** Tells whether a notice in a log tells of the same unreadable lines. */
export function toldBefore(lines: readonly LogLine[], badLines: readonly number[]): boolean {
  const words = badLineWords(badLines);
  return lines.some(
    ({ event }) =>
      event.type === 'notice' && event.code === FILE_NOTICE && event.text.includes(words),
  );
}
