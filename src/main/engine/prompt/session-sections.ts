import type { Attribution } from '../settings/schema';
import type { Section } from './section';

/**
 * The facts that the dynamic part of the prompt tells about a session. What is no function is fixed for the session.
 */
export interface SessionFacts {
  readonly cwd: string;
  /** Folders added beside the project. */
  readonly addedDirectories: () => readonly string[];
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** Version of the operating system and architecture of the machine, e.g. `6.1.0, x64`. */
  readonly system?: string;
  /** The runtime of Lathe itself, e.g. `Node 24.21.0`. */
  readonly runtime?: string;
  /** The names of the tools that are offered now. */
  readonly tools?: () => readonly string[];
  /** The entries of the project folder, or null when nothing is to be told of it. */
  readonly directory?: (signal: AbortSignal) => Promise<string | null>;
  /** Path of the shell that runs commands. */
  readonly shell: string;
  readonly appVersion: string;
  /** The language to answer in, when the user chose one. */
  readonly language?: string;
  /** The texts that end what it commits and proposes. */
  readonly attribution?: Attribution;
  /** The text on how answers are to be written; empty when as usual. */
  readonly outputStyle?: (signal: AbortSignal) => Promise<string>;
  /** A folder that is there for the model's own notes and trials, or null when it could not be made. */
  readonly scratchpad?: () => Promise<string | null>;
  /** The instructions of connected servers. */
  readonly serverInstructions?: () => readonly { readonly server: string; readonly text: string }[];
  /** True when nobody is there to answer (headless). */
  readonly unattended: boolean;
  /** Returns the month in which the knowledge of a model ends, e.g. `2026-06`; null where nobody said. */
  readonly knowledgeUntil?: (model: string) => string | null;
  /** A snapshot of git, or null outside a repository (or when git must not run: untrusted folder). */
  readonly gitSnapshot: (signal: AbortSignal) => Promise<string | null>;
}

/**
 * Returns the dynamic sections, in their order; what the system looks like stands at the end (docs/spec.md B4). What
 * changes while a session lives (mode, budget, news) is never here: it goes into the conversation as a reminder, so
 * that the cache of all that was said before holds.
 */
export const sessionSections = (facts: SessionFacts): readonly Section[] => [
  { name: 'unattended', cache: 'session', compute: () => (facts.unattended ? UNATTENDED : null) },
  { name: 'language', cache: 'session', compute: () => language(facts.language) },
  { name: 'attribution', cache: 'session', compute: () => attribution(facts.attribution ?? {}) },
  {
    name: 'output_style',
    cache: 'session',
    compute: async (_, signal) => outputStyle((await facts.outputStyle?.(signal)) ?? ''),
  },
  {
    name: 'servers',
    cache: 'never',
    why: 'Servers connect and say what they offer while the session lives; their tools change the cache with them.',
    compute: () => servers(facts.serverInstructions?.() ?? []),
  },
  {
    name: 'scratchpad',
    cache: 'session',
    compute: async () => scratchpad((await facts.scratchpad?.()) ?? null),
  },
  {
    name: 'model',
    cache: 'never',
    why: 'The user may switch the model; a switch starts a new cache anyway.',
    compute: (model) => modelGuidance(model, facts.knowledgeUntil?.(model) ?? null),
  },
  { name: 'guidance', cache: 'session', compute: () => guidance(facts) },
  { name: 'environment', cache: 'session', compute: () => environment(facts) },
  {
    name: 'directory',
    cache: 'session',
    compute: async (_, signal) => directory((await facts.directory?.(signal)) ?? null),
  },
  { name: 'git', cache: 'session', compute: (_, signal) => git(facts, signal) },
];

function environment(facts: SessionFacts): string {
  const lines = [
    `Working directory: ${facts.cwd}`,
    ...facts.addedDirectories().map((path) => `Further working directory: ${path}`),
    `Platform: ${facts.platform}${facts.system === undefined ? '' : ` ${facts.system}`}`,
    `Shell: ${facts.shell}`,
    `Lathe version: ${facts.appVersion}${facts.runtime === undefined ? '' : ` on ${facts.runtime}`}`,
  ];
  return `# Environment\n${lines.join('\n')}`;
}

/** Advice that depends on the tools of the session. */
function guidance({ tools, unattended }: SessionFacts): string {
  const has = new Set(tools?.() ?? []);
  const lines = [
    ...(!unattended && has.has('AskUserQuestion')
      ? ['When it is unclear why a call was denied, ask.']
      : []),
    ...(has.has('Glob') && has.has('Grep')
      ? [
          has.has('Agent')
            ? 'For a known name use Glob or Grep; for a broad question start the Explore agent.'
            : 'For a known name use Glob or Grep directly.',
        ]
      : []),
    ...(unattended
      ? []
      : [
          'A message that begins with ! was a command the user ran; one with / is a command of Lathe.',
        ]),
    'What hooks say comes from the user; when one blocks you, change what you do or ask.',
    'Start with the call, not with a sentence that announces it. Write issues as owner/repo#n.',
    'Commit messages have at most 72 characters in their first line and say why.',
    'If a request rests on a mistake, say so before you act on it.',
    'Old results are cleared to save space: say in your own words what you will need of a result, or make the call again.',
  ];
  return `# Guidance\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

const directory = (entries: string | null): string | null =>
  entries === null || entries === ''
    ? null
    : `# Project folder, two levels deep, when the session began\n${entries}`;

const language = (name: string | undefined): string | null =>
  name === undefined || name.trim() === ''
    ? null
    : `# Language\nAnswer in ${name.trim()}. Keep code, identifiers and file contents in the language the project uses.`;

function attribution({ commit = '', pr = '' }: Attribution): string | null {
  const parts = [
    ['the message of each commit that you make', commit],
    ['the description of each pull request that you make', pr],
  ].flatMap(([what, text = '']) =>
    text.trim() === '' ? [] : `End ${what} with an empty line and this text:\n${text.trim()}`,
  );
  return parts.length === 0 ? null : ['# Attribution', ...parts].join('\n');
}

const outputStyle = (text: string): string | null =>
  text === '' ? null : `# Output style\n${text}`;

const servers = (
  said: readonly { readonly server: string; readonly text: string }[],
): string | null => {
  const parts = said
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => (a.server < b.server ? -1 : 1))
    .map(({ server, text }) => `## ${server}\n${text.trim()}`);
  return parts.length === 0
    ? null
    : ['# What connected servers say about their tools', ...parts].join('\n\n');
};

const scratchpad = (folder: string | null): string | null =>
  folder === null
    ? null
    : `# Scratch folder\nPut notes, trial scripts and other files that are not part of the work into ${folder}. Read, Write and Edit need no permission there.`;

const UNATTENDED = `# Unattended
Nobody can answer questions or approve calls in this session. What is not allowed beforehand is denied. Decide sensibly, finish what can be finished, and end with a clear account of what was done and what was not.`;

async function git(facts: SessionFacts, signal: AbortSignal): Promise<string | null> {
  const snapshot = await facts.gitSnapshot(signal);
  return snapshot === null
    ? null
    : `# Git, as it was when the session began (it is not updated)\n${snapshot}`;
}

/** Guidance for one family of models beyond that for all. */
interface Guidance {
  /** Matches model ids, provider prefixes and dates included. */
  readonly family: RegExp;
  readonly text: string;
}

/**
 * Written from what the families tend to get wrong: the small ones skip steps and checks, the large ones do
 * more than was asked.
 */
const GUIDANCE: readonly Guidance[] = [
  {
    family: /haiku/i,
    text: 'Take one step at a time: read the file before you reason about it, check each result before you go on, and run the check of the project before you say that you are done.',
  },
  {
    family: /opus|fable/i,
    text: 'Stay within what was asked. When you see more that could be done, name it in one line and leave it.',
  },
];

/** Returns the section that adapts the prompt to the model in use. `knowledgeUntil`: e.g. `2026-06`. */
export function modelGuidance(model: string, knowledgeUntil?: string | null): string {
  const adapted = GUIDANCE.filter((entry) => entry.family.test(model)).map((entry) => entry.text);
  const known = knowledgeUntil
    ? [`Your knowledge ends about ${knowledgeUntil}; look newer things up.`]
    : [];
  return ['# Model', `You run on the model ${model}.`, ...known, ...adapted].join('\n');
}
