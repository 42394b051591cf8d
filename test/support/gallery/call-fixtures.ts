import type { CallItem } from '../../../src/shared/transcript';

/** A moment all fixtures count from: 21 November 2026, 10:00 UTC. */
export const NOW = Date.UTC(2026, 10, 21, 10, 0, 0);

/** A call with the rest of its fields. */
export const call = (id: string, rest: Omit<CallItem, 'kind' | 'id'>): CallItem => ({
  kind: 'call',
  id,
  ...rest,
});

export const readCall = call('c_read', {
  tool: 'Read',
  title: { verb: 'Read', target: 'src/auth/session.ts' },
  status: 'done',
  durationMs: 84,
  view: {
    kind: 'file',
    path: 'src/auth/session.ts',
    startLine: 1,
    lineCount: 46,
    totalLines: 212,
    preview:
      "import { verify } from './token';\n\nexport function isValid(session: Session, now: number): boolean {\n  if (session.user) return true;\n  return verify(session.token) && session.expires > now;\n}\n",
  },
});

export const searchCall = call('c_grep', {
  tool: 'Grep',
  title: { verb: 'Search', target: 'isValid\\(' },
  status: 'done',
  durationMs: 130,
  view: {
    kind: 'search',
    pattern: 'isValid\\(',
    path: 'src',
    matches: 7,
    truncated: false,
    preview:
      "src/auth/session.ts:3:export function isValid(session: Session, now: number): boolean {\nsrc/routes/account.ts:18:  if (!isValid(req.session, clock.now())) return res.redirect('/login');\nsrc/routes/cart.ts:9:  if (!isValid(req.session, clock.now())) return next();",
  },
});

export const failedTests = call('c_test', {
  tool: 'Bash',
  title: { verb: 'Bash', target: 'npm test -- --run auth' },
  status: 'failed',
  durationMs: 31_200,
  error: 'Exit code 1',
  view: {
    kind: 'shell',
    command: 'npm test -- --run auth',
    tail: ' ❯ test/auth.test.ts (6 tests | 1 failed) 312ms\n   ✓ accepts a fresh session\n   ✓ refuses a forged token\n   ✗ refuses an expired session of a known user\n     → expected true to be false\n\n Test Files  1 failed (1)\n      Tests  1 failed | 5 passed (6)\n   Duration  1.02s\n',
    totalLines: 148,
    exitCode: 1,
    background: false,
    terminalId: 'trm_2',
  },
});

export const editCall = call('c_edit', {
  tool: 'Edit',
  title: { verb: 'Edit', target: 'src/auth/session.ts' },
  status: 'done',
  durationMs: 42,
  view: {
    kind: 'diff',
    path: 'src/auth/session.ts',
    created: false,
    added: 4,
    removed: 2,
    hunks: [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          " import { verify } from './token';",
          ' ',
          ' export function isValid(session: Session, now: number): boolean {',
          '-  if (session.user) return true;',
          '-  return verify(session.token) && session.expires > now;',
          '+  if (session.expires <= now) return false;',
          '+  return session.user !== undefined || verify(session.token);',
          ' }',
          ' ',
        ],
      },
      {
        oldStart: 88,
        newStart: 88,
        lines: [
          ' export const renew = (session: Session, now: number): Session => ({',
          '   ...session,',
          '+  // Renewing never revives a session that has ended.',
          '+  expires: isValid(session, now) ? now + LIFETIME_MS : session.expires,',
          ' });',
        ],
      },
    ],
  },
});

export const runningShell = call('c_run', {
  tool: 'Bash',
  title: { verb: 'Bash', target: 'npm test' },
  status: 'running',
  startedAt: NOW - 12_400,
  view: {
    kind: 'shell',
    command: 'npm test',
    tail: '\n RUN  v5.1.1 /home/mira/shop\n\n ✓ test/cart.test.ts (12 tests) 88ms\n ✓ test/price.test.ts (31 tests) 140ms\n ✓ test/auth.test.ts (6 tests) 97ms\n',
    totalLines: 9,
    exitCode: null,
    background: false,
    terminalId: 'trm_3',
  },
});

export const todoCall = call('c_todo', {
  tool: 'TodoWrite',
  title: { verb: 'Plan', target: 'Run the whole test suite' },
  status: 'done',
  durationMs: 3,
  view: {
    kind: 'todo',
    items: [
      { content: 'Find the check', activeForm: 'Finding the check', status: 'completed' },
      { content: 'Fix the order', activeForm: 'Fixing the order', status: 'completed' },
      {
        content: 'Run the whole test suite',
        activeForm: 'Running the whole test suite',
        status: 'in_progress',
      },
      { content: 'Write a changelog line', activeForm: 'Writing it', status: 'pending' },
    ],
  },
});
