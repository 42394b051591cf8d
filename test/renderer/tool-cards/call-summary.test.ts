import { describe, expect, it } from 'vitest';
import {
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
const shell = (over: object): CallItem => {
  const { view } = runningShell;
  return { ...runningShell, status: 'done', durationMs: 2_000, view: view && { ...view, ...over } };
};

describe('callMeta', () => {
  it.each<[string, CallItem, object]>([
    ['receiving', { ...plain, status: 'receiving' }, { text: 'writing…' }],
    ['queued', { ...plain, status: 'queued' }, { text: 'queued' }],
    ['asking', { ...plain, status: 'approval' }, { text: 'waits for you', tone: 'waits' }],
    ['running', runningShell, { text: '12 s' }],
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
