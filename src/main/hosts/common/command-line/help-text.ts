import { FLAGS, type FlagScope } from './flags';

const SECTIONS: readonly (readonly [FlagScope, string])[] = [
  ['headless', 'With -p:'],
  ['window', 'With a window:'],
  ['any', 'Always:'],
];

/** What `lathe --help` prints. */
export function helpText(): string {
  const lines = [
    'Lathe, a desktop coding agent.',
    '',
    '  lathe [folder]         open the app',
    '  lathe serve [folder]   serve the app to a browser on this machine',
    '  lathe -p "prompt"      answer a prompt and exit',
    '  lathe doctor           what is installed and what is misconfigured',
    '  lathe permissions check  decide on tool calls, one JSON object a line',
  ];
  for (const [scope, title] of SECTIONS) {
    lines.push('', title);
    for (const flag of FLAGS.filter((candidate) => candidate.scope === scope)) {
      const names = [...(flag.aliases ?? []).filter((alias) => alias.length === 2), flag.name];
      const usage = [names.join(', '), flag.value].filter((part) => part !== undefined).join(' ');
      lines.push(
        usage.length > 34
          ? `  ${usage}\n${' '.repeat(38)}${flag.help}`
          : `  ${usage.padEnd(36)}${flag.help}`,
      );
    }
  }
  lines.push('', 'Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted, 143 terminated.');
  return `${lines.join('\n')}\n`;
}
