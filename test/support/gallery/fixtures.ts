import { emptyTranscript, type Transcript } from '../../../src/shared/transcript';
import {
  call,
  editCall,
  failedTests,
  NOW,
  readCall,
  runningShell,
  searchCall,
  todoCall,
} from './call-fixtures';
import { LONG_ANSWER, SHORT_ANSWER } from './prose';

const base: Transcript = {
  ...emptyTranscript('ses_fixture', 'epoch_1'),
  cwd: '/home/mira/shop',
  createdAt: NOW - 600_000,
  title: 'Fix the failing login test',
  model: 'claude-opus-5-5',
  effort: 'high',
};

const prompt = (id: string, text: string, ago: number) =>
  ({ kind: 'prompt', id, text, at: NOW - ago }) as const;
const text = (id: string, value: string, done = true) =>
  ({ kind: 'text', id, text: value, done }) as const;

/** A query in the middle of its work: finished calls, one running, an answer before it. */
export const runningTranscript: Transcript = {
  ...base,
  running: { queryId: 'q1', startedAt: NOW - 64_000, turn: 3 },
  active: [
    prompt('m1', 'The login test fails since yesterday. Find out why and fix it.', 64_000),
    {
      kind: 'thinking',
      id: 'm2:0',
      done: true,
      text: 'The failing test speaks of an expired session of a known user, so the order of the two checks matters.\n\nI should read the session code first.',
    },
    text('m2:1', 'I’ll look at the session check and run the failing test first.'),
    readCall,
    searchCall,
    failedTests,
    text(
      'm3:0',
      'The check returns early for any known user, **before** it looks at the expiry. So an expired session of a known user still counts as valid. I’ll put the expiry first.',
    ),
    editCall,
    todoCall,
    runningShell,
  ],
  queue: [{ id: 'p1', text: 'Also add a line to the changelog', priority: 'next' }],
};

/** A session with a finished query and a long answer. */
export const finishedTranscript: Transcript = {
  ...base,
  committed: [
    prompt('m1', 'How does the price cache work? Show me the important parts.', 300_000),
    readCall,
    text('m2:0', LONG_ANSWER),
    {
      kind: 'end',
      id: 'end:q0',
      terminal: 'completed',
      text: '',
      turns: 2,
      costUsd: 0.0418,
      durationMs: 24_300,
    },
    prompt('m9', 'Thanks. And where is it cleared?', 60_000),
    text('m10:0', SHORT_ANSWER),
    {
      kind: 'end',
      id: 'end:q1',
      terminal: 'completed',
      text: '',
      turns: 1,
      costUsd: 0.0121,
      durationMs: 4_100,
    },
  ],
};

/** Everything that can go wrong, one after the other, and a retry at the end. */
export const troubledTranscript: Transcript = {
  ...base,
  committed: [
    prompt('m1', 'Delete the old build folder and publish the package', 400_000),
    call('c_denied', {
      tool: 'Bash',
      title: { verb: 'Bash', target: 'rm -rf build' },
      status: 'denied',
      durationMs: 4_000,
      error:
        '<tool_use_error>The user denied this: keep the folder, only empty it</tool_use_error>',
      view: null,
    }),
    call('c_missing', {
      tool: 'Read',
      title: { verb: 'Read', target: 'src/publish.ts' },
      status: 'failed',
      durationMs: 4,
      error:
        '<tool_use_error>There is no file src/publish.ts. Did you mean scripts/publish.ts?</tool_use_error>',
      view: null,
    }),
    call('c_cancel', {
      tool: 'Bash',
      title: { verb: 'Bash', target: 'npm publish --dry-run' },
      status: 'cancelled',
      durationMs: 900,
      view: null,
    }),
    {
      kind: 'end',
      id: 'e1',
      terminal: 'aborted_tools',
      text: '',
      turns: 2,
      costUsd: 0.03,
      durationMs: 18_000,
    },
    prompt('m3', 'Go on, but only empty it', 300_000),
    {
      kind: 'divider',
      id: 'd1',
      level: 'info',
      code: 'compacted',
      text: 'Conversation summarised: 42 messages became one',
    },
    {
      kind: 'divider',
      id: 'd2',
      level: 'warning',
      code: 'fallback',
      text: 'The model was overloaded three times; Sonnet answers instead',
    },
    {
      kind: 'divider',
      id: 'd3',
      level: 'error',
      code: 'settings',
      text: '.claude/settings.json, line 14: “permisions” is not a known setting',
      fix: 'It was left out; the rest of the file is used. Did you mean “permissions”?',
    },
    {
      kind: 'end',
      id: 'e2',
      terminal: 'model_error',
      text: 'The key was refused (401). Nothing was sent to the model. Check the key in Settings.',
      turns: 1,
      costUsd: 0,
      durationMs: 600,
    },
    prompt('m5', 'Try again', 20_000),
  ],
  running: { queryId: 'q3', startedAt: NOW - 20_000, turn: 1 },
  waiting: {
    reason: 'The model is overloaded',
    attempt: 2,
    maxAttempts: 10,
    until: NOW + 12_000,
  },
};

/** An answer with a listing that is long enough to fold. */
export const listing = text(
  'listing',
  `\`\`\`ts\n${Array.from({ length: 60 }, (_, i) => `line(${i});\n`).join('')}\`\`\``,
);

/** An answer in which the same listing stands three times, twice of them in one list. */
export const sameListings = text(
  'same',
  [
    `\`\`\`ts\nsame();\n${'more();\n'.repeat(40)}\`\`\``,
    ...['One', 'Two'].map(
      (name) => `- ${name}\n\n  \`\`\`ts\n  same();\n${'  more();\n'.repeat(40)}  \`\`\``,
    ),
  ].join('\n\n'),
);

/** `count` short queries, for scrolling. */
export const longTranscript = (count: number): Transcript => ({
  ...base,
  committed: Array.from({ length: count }, (_, i) => [
    prompt(`p${i}`, `Question ${i + 1}: what does module ${i + 1} do?`, 1000),
    { ...readCall, id: `c${i}` },
    text(`t${i}`, `Module ${i + 1} keeps **${i} things** in order.\n\n${SHORT_ANSWER}`),
  ]).flat(),
});
