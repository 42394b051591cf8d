import { describe, expect, it } from 'vitest';
import {
  backgroundOffer,
  callMeta,
  hasDetail,
  liveTail,
  readableError,
} from '../../../src/renderer/tool-cards/call-summary';
import type { CallItem } from '../../../src/shared/transcript';
import {
  editCall,
  failedTests,
  NOW,
  readCall,
  runningShell,
  searchCall,
  todoCall,
} from '../../support/gallery/call-fixtures';

const plain: CallItem = {
  kind: 'call',
  id: 'c',
  tool: 'X',
  title: { verb: 'X', target: '' },
  status: 'done',
  view: null,
};
const shell = (over: object, status: CallItem['status'] = 'done'): CallItem => {
  const { view } = runningShell;
  return { ...runningShell, status, durationMs: 2_000, view: view && { ...view, ...over } };
};

describe('the offer to go on in the background', () => {
  const startedAt = runningShell.startedAt ?? 0;
  const at = (seconds: number, over: object) =>
    backgroundOffer(shell({ timeoutMs: 120_000, ...over }, 'running'), startedAt + seconds * 1000);

  it.each<[string, ReturnType<typeof at>, object | null]>([
    ['not while a command is young', at(59, {}), null],
    ['after a minute', at(60, {}), { leftMs: 60_000, atLimit: 'ends', waitsForInput: false }],
    ['after half of a short time', at(5, { timeoutMs: 10_000 }), { leftMs: 5_000 }],
    ['after a minute of a long time', at(60, { timeoutMs: 600_000 }), { leftMs: 540_000 }],
    ['that says where it goes by itself', at(90, { movesAtLimit: true }), { atLimit: 'moves' }],
    [
      'at once when it asks, and then it does not move by itself',
      at(46, { movesAtLimit: true, waitsForInput: true }),
      { leftMs: 74_000, atLimit: 'ends', waitsForInput: true },
    ],
    ['never below nothing', at(121, {}), { leftMs: 0 }],
    ['not where it is already', at(90, { background: true }), null],
    ['not without a limit', at(90, { timeoutMs: undefined }), null],
  ])('%s', (_, offer, expected) => {
    if (expected === null) expect(offer).toBeNull();
    else expect(offer).toMatchObject(expected);
  });

  it('is none of a call that is over, or no command', () => {
    expect(backgroundOffer(shell({ timeoutMs: 1000 }), startedAt + 90_000)).toBeNull();
    expect(backgroundOffer({ ...readCall, status: 'running', startedAt: 0 }, 90_000)).toBeNull();
  });
});

describe('callMeta', () => {
  it.each<[string, CallItem, object]>([
    ['receiving', { ...plain, status: 'receiving' }, { text: 'writing…' }],
    ['queued', { ...plain, status: 'queued' }, { text: 'queued' }],
    ['asking', { ...plain, status: 'approval' }, { text: 'waits for you', tone: 'waits' }],
    ['running', runningShell, { text: '12 s' }],
    [
      'running, with its size and limit',
      shell({ totalBytes: 1_234_567, timeoutMs: 120_000 }, 'running'),
      { text: '1.2 MB · 12 s of 2 m' },
    ],
    [
      'running, and it asks',
      shell({ waitsForInput: true }, 'running'),
      { text: 'waits for input', tone: 'waits' },
    ],
    ['running since unknown', { ...plain, status: 'running' }, { text: 'running' }],
    ['denied', { ...plain, status: 'denied' }, { text: 'denied', tone: 'quiet' }],
    ['stopped', { ...plain, status: 'cancelled' }, { text: 'stopped' }],
    ['failed shell', failedTests, { text: 'exit 1', tone: 'failed' }],
    ['failed otherwise', { ...plain, status: 'failed' }, { text: 'failed', tone: 'failed' }],
    ['read', readCall, { text: '0.1 s' }],
    ['edit', editCall, { kind: 'changes', added: 4, removed: 2 }],
    ['search', searchCall, { text: '7 matches' }],
    ['plan', todoCall, { text: '' }],
    ['background shell', shell({ background: true }), { text: 'in the background' }],
    ['shell with a note', shell({ note: 'no match', exitCode: 1 }), { text: 'no match · 2.0 s' }],
    ['no duration', plain, { text: '' }],
  ])('%s', (_, call, expected) => expect(callMeta(call, NOW)).toMatchObject(expected));

  it('says how a command ended when no code tells', () => {
    const call = { ...shell({ exitCode: null, note: 'timed out after 120 s' }), status: 'failed' };
    expect(callMeta(call as CallItem, NOW)).toMatchObject({ text: 'timed out after 120 s' });
  });
});

it('shows the last lines of a running command only', () => {
  expect(liveTail(runningShell, 2)).toBe(
    ' ✓ test/price.test.ts (31 tests) 140ms\n ✓ test/auth.test.ts (6 tests) 97ms',
  );
  expect(liveTail(failedTests, 2)).toBe('');
  expect(liveTail({ ...plain, status: 'running' }, 2)).toBe('');
});

it('makes errors readable', () => {
  expect(readableError('<tool_use_error>No such file\n</tool_use_error>')).toBe('No such file');
});

it('opens only what has something inside', () => {
  expect(hasDetail(plain)).toBe(false);
  expect(hasDetail({ ...plain, error: ' ' })).toBe(false);
  expect(hasDetail({ ...plain, error: 'x' })).toBe(true);
  expect(hasDetail(readCall)).toBe(true);
});
