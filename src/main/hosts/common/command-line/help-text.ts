import { FLAGS, type Flag, type FlagScope, findFlag, MISSING } from './flags';

/** The commands that have help of their own. */
export const HELP_TOPICS = [
  ...(['serve', 'doctor', 'auth', 'path', 'acp'] as const),
  ...(['mcp', 'plugin', 'permissions', 'sessions'] as const),
] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** The words that are typed, and their effect. */
type Line = readonly [string, string];

interface Topic {
  /** The one line that stands for these in the help with everything. */
  readonly short?: Line;
  readonly lines: readonly Line[];
  readonly flags?: readonly Line[];
  readonly notes?: readonly string[];
}

const SECTIONS: readonly (readonly [FlagScope, string])[] = [
  ['headless', 'With -p:'],
  ['window', 'With a window:'],
  ['session', 'With either:'],
  ['plugin', 'With plugin:'],
  ['auth', 'With auth:'],
  ['any', 'Always:'],
];

const lineOf = ({ name, aliases = [], value, help }: Flag): Line => {
  const names = [...aliases.filter((alias) => alias.length === 2), name].join(', ');
  return [value === undefined ? names : `${names} ${value}`, help];
};
const flagsNamed = (...names: readonly string[]): readonly Line[] =>
  names.flatMap((name) => findFlag(name) ?? []).map(lineOf);
const flagsOf = (...scopes: readonly FlagScope[]): readonly Line[] =>
  FLAGS.filter(({ scope }) => scopes.includes(scope)).map(lineOf);

const TOPICS: Readonly<Record<HelpTopic, Topic>> = {
  serve: {
    lines: [['lathe serve [folder]', 'serve the app to a browser on this machine']],
    flags: flagsOf('window', 'session', 'any'),
  },
  doctor: {
    lines: [['lathe doctor [folder]', 'what is installed and what is misconfigured']],
    flags: flagsNamed('--cwd', '--debug', '--trust', '--settings', '--plugin-dir', '--mcp-config'),
  },
  auth: {
    lines: [
      ['lathe auth status', 'whether there is a key, and where it comes from; exit code 1 without'],
      ['lathe auth logout', 'forget the key that was entered; says which others are left'],
    ],
    flags: flagsNamed('--json', '--settings', '--setting-sources', '--trust'),
  },
  path: {
    lines: [
      [
        'lathe path add|remove',
        'make lathe a command of your terminals, where no package has done so',
      ],
    ],
  },
  acp: {
    lines: [['lathe acp', 'serve an editor that speaks the Agent Client Protocol']],
    notes: ['It takes the flags of lathe -p that are about a session: see lathe --help.'],
  },
  mcp: {
    short: ['lathe mcp add|list|get|remove …', 'tool servers; login and logout sign in and out'],
    lines: [
      ['lathe mcp add <name> <command> [-- arguments…]', 'add a tool server that is a command'],
      ['lathe mcp add --transport http <name> <address>', 'add one that has an address'],
      ['lathe mcp add-json <name> <json>', 'add one as .mcp.json would hold it'],
      ['lathe mcp list', 'start them all, and tell how each is'],
      ['lathe mcp get <name>', 'where one comes from, and how it is'],
      ['lathe mcp remove <name>', 'take one out of the file that holds it'],
      ['lathe mcp login|logout <name>', 'sign in to one, or out of it'],
    ],
    flags: [
      ['-s, --scope local|project|user', 'Who has it: you here, all in .mcp.json, you everywhere'],
      ['-t, --transport stdio|http|sse|ws', 'How it is spoken to (default: stdio)'],
      ['-e, --env NAME=VALUE…', 'With add: variables of a command'],
      ['-H, --header "Name: value"', 'With add: headers for an address'],
      ...flagsNamed('--cwd', '--trust'),
    ],
  },
  plugin: {
    short: ['lathe plugin list|install|…', 'plugins, and the marketplaces that they come from'],
    lines: [
      ['lathe plugin list', 'the plugins here, and which are on'],
      ['lathe plugin show <name@marketplace>', 'what one brings'],
      [
        'lathe plugin install|enable <name@marketplace>',
        'show what one brings, ask, and turn it on',
      ],
      [
        'lathe plugin disable|update|remove <name@marketplace>',
        'turn it off, renew it, take it out',
      ],
      ['lathe plugin set <name@marketplace> <option> <value>', 'give it an option'],
      ['lathe plugin unset <name@marketplace> <option>', 'take that back'],
      ['lathe plugin marketplace list', 'where plugins come from'],
      ['lathe plugin marketplace add <folder or address>', 'add such a place'],
      ['lathe plugin marketplace update|remove <name>', 'renew one, or take it out'],
    ],
    flags: flagsNamed('--yes', '--cwd'),
  },
  permissions: {
    lines: [['lathe permissions check', 'decide on tool calls, one JSON object a line']],
    flags: flagsNamed('--cwd'),
    notes: ['A line: {"tool":"Bash","input":{"command":"ls"},"rules":{"deny":["Bash(rm:*)"]}}'],
  },
  sessions: {
    short: ['lathe sessions search|export|…', 'find, print, archive, delete and restore sessions'],
    lines: [
      ['lathe sessions search <words>', 'find what was said in sessions; "a phrase", begin*'],
      ['lathe sessions export <id> [markdown|json|html]', 'print one, keys and tokens hidden'],
      ['lathe sessions archive|unarchive <id>', 'leave one out of lists, or take it back'],
      ['lathe sessions delete|restore <id>', 'put one into the trash for 30 days, or take it back'],
    ],
  },
};

/** Returns what `lathe --help` prints, or `lathe <topic> --help`. */
export const helpText = (topic: HelpTopic | null = null): string =>
  `${(topic === null ? generalHelp() : topicHelp(TOPICS[topic])).join('\n')}\n`;

function topicHelp({ lines, flags = [], notes = [] }: Topic): readonly string[] {
  return [
    ...columns(lines),
    ...(flags.length === 0 ? [] : ['', ...columns(flags)]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ];
}

function generalHelp(): readonly string[] {
  const shown: readonly Line[] = [
    ['lathe [folder]', 'open the app'],
    [
      'lathe -p "prompt"',
      'answer a prompt and exit; goes without saying with --input-format stream-json',
    ],
    ...HELP_TOPICS.flatMap((topic) => {
      const { short, lines } = TOPICS[topic];
      return short === undefined ? lines : [short];
    }),
    ['lathe <command> --help', 'more on one of these'],
  ];
  const ignored = FLAGS.filter(({ scope }) => scope === 'ignored').map(({ name }) => name);
  return [
    ...['Lathe, a desktop coding agent.', '', ...columns(shown)],
    ...SECTIONS.flatMap(([scope, title]) => ['', title, ...columns(flagsOf(scope))]),
    ...['', 'Accepted, without effect:', `  ${ignored.join(' ')}`],
    ...['', 'Not there, and refused:', `  ${[...MISSING].join(' ')}`],
    ...['', 'Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted, 143 terminated.'],
  ];
}

/** Width of the first column. Characters. */
const FIRST = 36;

const columns = (lines: readonly Line[]): readonly string[] =>
  lines.map(([typed, does]) =>
    typed.length > FIRST - 2
      ? `  ${typed}\n${' '.repeat(FIRST + 2)}${does}`
      : `  ${typed.padEnd(FIRST)}${does}`,
  );
