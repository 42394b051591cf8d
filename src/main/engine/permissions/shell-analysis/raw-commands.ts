import type { ShellCommand } from '../request';

const MAX_RAW_COMMANDS = 300;

/**
 * The commands of a line that could not be parsed, found by cutting at everything that may separate commands.
 * Too many rather than too few: they only serve to let deny and ask rules match.
 */
export function rawCommands(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  const separator =
    /(?:[;&|\n(){}`]|(?!\t)\p{Cc})+|\$\(|[<>]\(|(?:\b(?:do|then|else|if|while|until|time)|!)\s/gu;
  const add = (start: number, end: number) => {
    const text = line.slice(start, end).trim();
    if (text === '' || commands.length >= MAX_RAW_COMMANDS) return;
    const words = text
      .replace(/\\\n/g, '')
      .split(/\s+/)
      .map((word) => word.replace(/["'\\]/g, ''));
    commands.push({
      words,
      text: words.join(' '),
      start,
      end,
      writes: [],
      reads: [],
      assignments: [],
      role: 'inner',
    });
  };
  let from = 0;
  for (const match of line.matchAll(separator)) {
    add(from, match.index);
    from = match.index + match[0].length;
  }
  add(from, line.length);
  return commands;
}
