import { describe, expect, it } from 'vitest';
import { endLook, folded } from '../../../src/renderer/chat/ConversationRow';
import { gist } from '../../../src/renderer/chat/FoldingRows';
import { liveLine } from '../../../src/renderer/chat/LiveRow';
import { itemRows, withActive } from '../../../src/renderer/chat/rows';
import { Terminal } from '../../../src/shared/turn';
import { commandApproval } from '../../support/gallery/approval-fixtures';
import { NOW, readCall } from '../../support/gallery/call-fixtures';
import { runningTranscript, troubledTranscript } from '../../support/gallery/fixtures';

describe('rows', () => {
  it('groups neighbouring calls and leaves out what has no text yet', () => {
    const call = (id: string) => ({ ...readCall, id });
    const text = (id: string, value: string) =>
      ({ kind: 'text', id, text: value, done: false }) as const;
    const rows = itemRows([
      call('a'),
      text('t0', ' \n'),
      call('b'),
      call('c'),
      text('t', 'x'),
      call('d'),
    ]);
    expect(rows.map((r) => [r.key, r.kind === 'item' && r.place])).toEqual([
      ['a', 'first'],
      ['b', 'middle'],
      ['c', 'last'],
      ['t', 'alone'],
      ['d', 'alone'],
    ]);
  });

  it('ends with the live row while a query runs', () => {
    const committed = itemRows(troubledTranscript.committed);
    const rows = withActive(committed, troubledTranscript);
    expect(rows.at(-1)).toMatchObject({ kind: 'live' });
    const idle = { ...troubledTranscript, running: null };
    expect(withActive(committed, idle)).toBe(committed);
  });
});

describe('liveLine', () => {
  it('says what runs and since when', () =>
    expect(liveLine(runningTranscript, NOW)).toEqual({
      state: 'running',
      text: 'Running Bash',
      facts: ['1m 04s'],
      pausing: false,
    }));
  it('waits for the person before anything else', () =>
    expect(
      liveLine(
        { ...troubledTranscript, approvals: [{ ...commandApproval, agentId: 'main' }] },
        NOW,
      ),
    ).toMatchObject({
      state: 'waits',
      text: 'Waits for your answer',
    }));
  it.each([
    [NOW, 'Trying again in 12 s', true],
    [NOW + 11_400, 'Trying again in 1 s', true],
    [NOW + 20_000, 'Trying again', false],
  ])('counts down a retry %#', (now, next, pausing) =>
    expect(liveLine(troubledTranscript, now)).toMatchObject({
      state: 'waiting',
      text: 'The model is overloaded.',
      next,
      facts: ['try 2 of 10'],
      pausing,
    }),
  );
  it('says when the model is silent', () =>
    expect(liveLine({ ...runningTranscript, silentSince: NOW - 18_000 }, NOW)).toMatchObject({
      text: 'The model has gone quiet. Lathe asks again if it stays so',
      facts: ['nothing for 18 s', '1m 04s in all'],
    }));
  it.each([
    [{ kind: 'text', id: 'x', text: 'a', done: false } as const, 'Answering'],
    [{ kind: 'thinking', id: 'x', text: 'a', done: false } as const, 'Thinking'],
    [{ kind: 'text', id: 'x', text: 'a', done: true } as const, 'Working'],
  ])('names the activity %#', (item, text) =>
    expect(liveLine({ ...runningTranscript, active: [item] }, NOW).text).toBe(text),
  );
});

it('has a look for every ending, and is quiet only for the good ones', () => {
  const quiet = Terminal.options.filter((t) => ['meta', 'info'].includes(endLook(t).level));
  expect(quiet).toEqual(['completed', 'aborted_streaming', 'aborted_tools']);
  for (const terminal of Terminal.options) expect(endLook(terminal).title).not.toBe('');
});

it('folds a long prompt only', () => {
  expect(folded('short')).toBeNull();
  expect(folded('x'.repeat(5000))?.length).toBeLessThan(1700);
  expect(folded('a\n'.repeat(40))?.split('\n').length).toBe(14);
});

it('takes the first line of a finished thought and the newest of a running one', () => {
  expect(gist({ text: '\n**First** thing\n\nlast', done: true })).toBe('First thing');
  expect(gist({ text: 'first\n\n> last\n', done: false })).toBe('last');
  expect(gist({ text: '', done: false })).toBe('');
});
