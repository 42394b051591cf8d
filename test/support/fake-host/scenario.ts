import type { AppInfo, SessionSummary } from '../../../src/shared/contract';
import { NO_COSTS } from '../../../src/shared/facts';
import type { Project } from '../../../src/shared/settings';
import type { Task } from '../../../src/shared/task';
import type { ProcessFacts, ProcessTree, TerminalInfo } from '../../../src/shared/terminal';
import { emptyTranscript, type Item, type Transcript } from '../../../src/shared/transcript';
import { addCosts } from '../add-costs';
import type { FakeScenario } from './fake-engine';

const HOME = '/home/ada';
const PROJECT = '/home/ada/work/tidewater';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const INFO: AppInfo = {
  version: '0.1.0',
  host: 'web',
  platform: 'linux',
  home: HOME,
  nativeFolderDialog: false,
  demoFirst: false,
  keyStorage: 'a file only you can read, not encrypted',
};

const TIDEWATER: Project = {
  path: PROJECT,
  name: 'tidewater',
  branch: 'fix/login-redirect',
  trusted: true,
  findings: [
    {
      kind: 'hooks',
      what: 'PostToolUse after Edit, Write',
      detail: 'npx prettier --write "$FILE"',
      file: `${PROJECT}/.claude/settings.json`,
      mark: 'mark-1',
    },
    {
      kind: 'allow',
      what: '3 commands may run unasked',
      detail: 'Bash(npm run test:*), Bash(npm run lint), Bash(git status)',
      file: `${PROJECT}/.claude/settings.json`,
      mark: 'mark-2',
    },
    {
      kind: 'mcp',
      what: 'issue tracker',
      detail: 'npx -y @acme/tracker-mcp --workspace tidewater',
      file: `${PROJECT}/.mcp.json`,
      mark: 'mark-3',
    },
  ],
  problems: [],
};

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  '/': ['home', 'etc', 'srv'],
  '/home': ['ada'],
  [HOME]: ['.cache', '.config', 'Documents', 'Downloads', 'notes', 'work'],
  [`${HOME}/work`]: ['almanac', 'harbour-api', 'lighthouse', 'tidewater'],
  [PROJECT]: ['.git', 'docs', 'src', 'test'],
  [`${HOME}/notes`]: [],
};

/** Returns what there is to see: an empty machine for the first run, or one in the middle of its work. */
export function fakeScenario(
  kind: 'fresh' | 'demo' | 'busy' | 'asking',
  now: number,
): FakeScenario {
  const fresh = kind === 'fresh' || kind === 'demo';
  return {
    info: { ...INFO, demoFirst: kind === 'demo' },
    folders: FOLDERS,
    files: ['README.md', 'docs/', 'src/', 'src/auth.ts', 'src/login form.ts', 'test/auth.test.ts'],
    models: MODELS,
    demoProject: {
      ...{ path: `${HOME}/.lathe/demo/sample-project`, name: 'sample-project' },
      ...{ trusted: false, findings: [], problems: [] },
    },
    transcripts: [busyTranscript(now, kind === 'asking'), ...quietTranscripts(now)],
    app: {
      connection: fresh ? { kind: 'none' } : { kind: 'apiKey', from: 'ANTHROPIC_API_KEY' },
      preferences: { theme: 'system', zoom: 1, layout: {} },
      recents: fresh ? [] : [PROJECT, `${HOME}/work/harbour-api`, `${HOME}/work/almanac`],
      projects: fresh ? [{ ...TIDEWATER, trusted: false }] : [TIDEWATER],
      sessions: fresh ? [] : sessions(now, kind === 'asking'),
      terminals: fresh ? [] : terminals(now),
      leftovers: [],
      terminalHost: 'ready',
      keys: { file: `${HOME}/.claude/keybindings.json`, bindings: [], problems: [] },
    },
    processes: fresh ? [] : processes(now),
  };
}

const processes = (now: number): readonly ProcessTree[] => [
  {
    terminalId: 't1',
    processes: [
      [4711, 4000, 'npm', 'npm run dev', 0.001, 61, []],
      [4712, 4711, 'sh', 'sh -c vite', 0, 2, []],
      [4713, 4712, 'node', 'node ./node_modules/.bin/vite', 0.184, 214, [5173]],
      [4720, 4713, 'esbuild', 'esbuild --service --ping', 0.02, 31, []],
    ].map(([pid, ppid, name, command, cpu, megabytes, ports], at) => ({
      ...{ pid, ppid, name, command, cpu, ports, startTime: `boot/${pid}` },
      ...{ memory: Number(megabytes) * 1_000_000, startedAt: now - 180_000 + at * 700 },
    })) as ProcessFacts[],
  },
  {
    terminalId: 't3',
    processes: [
      {
        ...{ pid: 5001, ppid: 4000, name: 'zsh', command: '-zsh', cpu: null, ports: [] },
        ...{ memory: 6_200_000, startTime: 'boot/5001', startedAt: now - 900_000 },
      },
    ],
  },
];

const MODELS = [
  ['claude-opus-5-5', 'Claude Opus 5.5', 'opus'],
  ['claude-sonnet-5-5', 'Claude Sonnet 5.5', 'sonnet'],
  ['claude-haiku-5-5', 'Claude Haiku 5.5', 'haiku'],
].map(([id = '', name = '', alias = '']) => ({
  ...{ id, name, alias, contextTokens: 1_000_000 },
  efforts: alias === 'haiku' ? [] : ['low', 'medium', 'high', 'max'],
  thinking: {
    adaptive: alias !== 'haiku',
    off: alias === 'opus' ? ('never' as const) : ('disabled' as const),
  },
}));

const TITLES: readonly (readonly [string, number])[] = [
  ['Fix the login redirect', 4 * MINUTE],
  ['Add a cache in front of the tide tables', 3 * 60 * MINUTE],
  ['Why does the sync take eleven minutes?', DAY + 20 * MINUTE],
  ['Rename Harbour to Port everywhere', DAY + 90 * MINUTE],
  ['Migrate the tests to vitest', 2 * DAY],
  ['Größenangaben und Umlaute prüfen', 5 * DAY],
  ['First look round', 40 * DAY],
];

const sessions = (now: number, asking: boolean): readonly SessionSummary[] =>
  TITLES.map(([title, age], at) => ({
    ...{ id: `s${at + 1}`, project: PROJECT, title, createdAt: now - age, updatedAt: now - age },
    ...{ running: at === 0, needsAnswer: at === 0 && asking, demo: false },
  }));

const terminals = (now: number): readonly TerminalInfo[] =>
  (
    [
      ['t1', 'command', 'npm run dev', 124],
      ['t2', 'command', 'vitest', 40],
      ['t3', 'shell', 'zsh', 3000],
    ] as const
  ).map(([id, kind, title, seconds], at) => ({
    ...{ id, kind, title, sessionId: 's1', project: PROJECT, cwd: PROJECT },
    ...{ pid: 4711 + at, cols: 80, rows: 24, startedAt: now - seconds * 1000 },
    ...(kind === 'command' ? { command: title, taskId: `b_${id}` } : {}),
    ...(id === 't2' ? { endedAt: now - 9000, exitCode: 1 } : {}),
  }));

const task = (id: string, now: number, over: Partial<Task>): Task => ({
  ...{ id, type: 'local_bash', kind: 'Background command', sessionId: 's1', agentId: 'main' },
  ...{ title: id, status: 'running', isBackgrounded: true, startedAt: now },
  ...{ outputBytes: 2048, outputLines: 40, lastLine: '', endTold: false },
  ...over,
});

const tasks = (now: number): readonly Task[] => [
  task('b_t1', now - 124_000, {
    ...{ title: 'npm run dev', command: 'npm run dev', terminalId: 't1' },
    lastLine: '➜  Local:   http://localhost:5173/',
  }),
  task('b_t2', now - 40_000, {
    ...{ title: 'vitest', command: 'npx vitest run', terminalId: 't2', status: 'failed' },
    ...{ endedAt: now - 9000, result: { code: 1, interrupted: false } },
    ...{ lastLine: 'Tests  1 failed | 41 passed (42)' },
  }),
  task('b_t4', now - 300_000, {
    ...{ title: 'npm ci', status: 'completed', endedAt: now - 288_000 },
    ...{ result: { code: 0, interrupted: false } },
    lastLine: 'added 412 packages in 11s',
  }),
];

function busyTranscript(now: number, asking: boolean): Transcript {
  return {
    ...emptyTranscript('s1', 'ep1'),
    ...{ seq: 40, cwd: PROJECT, createdAt: now - 4 * MINUTE, title: 'Fix the login redirect' },
    ...{ model: 'claude-opus-5-5', effort: 'high', mode: 'default' },
    context: { usedTokens: 412_000, windowTokens: 1_000_000 },
    costs: addCosts(NO_COSTS, 'main', {
      'claude-opus-5-5': {
        usage: {
          inputTokens: 51_200,
          outputTokens: 8_900,
          cacheReadTokens: 380_000,
          cacheWriteTokens: 24_000,
        },
        costUsd: 0.38,
        requests: 4,
      },
    }),
    running: { queryId: 'q1', startedAt: now - 95_000, turn: 4 },
    tasks: tasks(now),
    active: activeItems(now, asking),
    approvals: asking ? [APPROVAL] : [],
  };
}

const activeItems = (now: number, asking: boolean): readonly Item[] => [
  {
    ...{ kind: 'prompt', id: 'p1', at: now - 95_000 },
    text: 'After signing in, people land on / instead of the page they came from. Find out why and fix it; the tests should cover it.',
  },
  { kind: 'thinking', id: 'm1:0', text: 'Look at the auth middleware first.', done: true },
  {
    ...{ kind: 'text', id: 'm1:1', done: true },
    text: 'I will start with the middleware that sends people to the sign-in page, since it decides what is remembered.',
  },
  call('c1', 'Read', 'src/auth/require-user.ts', {
    ...{ kind: 'file', path: `${PROJECT}/src/auth/require-user.ts`, startLine: 1, lineCount: 48 },
    ...{ totalLines: 48, preview: 'export function requireUser(' },
  }),
  call('c2', 'Search', 'returnTo', {
    ...{ kind: 'search', pattern: 'returnTo', path: 'src', matches: 6, truncated: false },
    preview: 'src/auth/callback.ts:31',
  }),
  call('c3', 'Plan', '4 steps', {
    kind: 'todo',
    items: [
      todo('Find where the target is lost', 'completed'),
      todo('Keep the query when redirecting', 'completed'),
      todo('Cover it with a test', 'in_progress'),
      todo('Run the whole suite', 'pending'),
    ],
  }),
  call('c4', 'Edit', 'src/auth/require-user.ts', {
    ...{ kind: 'diff', path: `${PROJECT}/src/auth/require-user.ts`, created: false },
    ...{ added: 3, removed: 1, hunks: [HUNK] },
  }),
  {
    ...{ kind: 'text', id: 'm2:0', done: false },
    text: 'The middleware kept only `req.path`, so the query string was dropped before it reached the callback. It now keeps `req.originalUrl`, and only paths of our own are accepted:\n\n- `//evil.example` and `https://…` fall back to `/`\n- the value is signed together with the state',
  },
  {
    ...call('c5', 'Run', 'npx vitest run src/auth', {
      ...{ kind: 'shell', command: 'npx vitest run src/auth', totalLines: 14, exitCode: null },
      ...{
        tail: ' ✓ src/auth/callback.test.ts (9)\n ❯ src/auth/require-user.test.ts (4/7)',
        background: false,
      },
    }),
    status: asking ? 'approval' : 'running',
    startedAt: now - 6000,
  },
];

type CallItem = Extract<Item, { kind: 'call' }>;

const call = (id: string, verb: string, target: string, view: CallItem['view']): CallItem => ({
  ...{ kind: 'call', id, tool: verb, title: { verb, target }, status: 'done', view },
  durationMs: 140,
});

const todo = (content: string, status: 'pending' | 'in_progress' | 'completed') => ({
  ...{ content, activeForm: content.replace(/^Cover/, 'Covering'), status },
});

const HUNK = {
  ...{ oldStart: 21, newStart: 21 },
  lines: [
    '   if (!user) {',
    "-    return redirect('/sign-in?returnTo=' + req.path);",
    '+    const target = safeTarget(req.originalUrl);',
    '+    const query = new URLSearchParams({ returnTo: target });',
    "+    return redirect('/sign-in?' + query);",
    '   }',
  ],
};

const APPROVAL: Transcript['approvals'][number] = {
  ...{
    id: 'a1',
    callId: 'c5',
    tool: 'Bash',
    title: 'Run a command',
    digest: 'd1',
    agentId: 'main',
  },
  subject: {
    ...{ kind: 'command', command: 'npx vitest run src/auth', cwd: PROJECT, background: false },
    asks: [{ start: 0, end: 23 }],
  },
  decision: {
    ...{ behavior: 'ask', reason: 'No rule allows this command.', why: ['no rule matched'] },
    suggestions: [{ rule: 'Bash(npx vitest run:*)', destination: 'localSettings' }],
  },
};

const quietTranscripts = (now: number): readonly Transcript[] =>
  TITLES.slice(1).map(([title, age], at) => ({
    ...emptyTranscript(`s${at + 2}`, `ep${at + 2}`),
    ...{ cwd: PROJECT, createdAt: now - age, title, model: 'claude-opus-5-5', effort: 'high' },
  }));
