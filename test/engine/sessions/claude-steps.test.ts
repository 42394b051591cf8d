import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../src/main/engine/messages/history';
import { claudeSteps } from '../../../src/main/engine/sessions/claude-steps';
import { eventsOf } from '../../../src/main/engine/sessions/other-events';
import type { OtherStep } from '../../../src/main/engine/sessions/other-steps';
import { runs } from '../../support/runs';
import { brief, normalize, refused, user } from '../messages/builders';
import { call, jsonl, line, output, placed, text } from './other-session';

type Lines = Parameters<typeof jsonl>[0];

const read = (lines: Lines, until: number | null = null) => {
  const log = jsonl(lines);
  const at = until === null ? null : (placed(log)[until]?.offset ?? 0);
  return claudeSteps(placed(log), at);
};

const said = (steps: readonly OtherStep[]): readonly string[] => steps.map(saidIn);

function saidIn(step: OtherStep): string {
  if (step.kind === 'summary') return `summary: ${step.text}`;
  if (step.kind === 'result') return `result of ${step.callId}`;
  if (step.kind === 'answer')
    return step.block.type === 'text' ? `answer: ${step.block.text}` : 'call';
  const words = step.content.map((one) => (one.type === 'text' ? one.text : one.type));
  return `${step.synthetic ? 'program' : 'user'}: ${words.join(' | ')}`;
}

/** Returns the request that a copy makes when a user goes on. */
const request = (lines: Lines, until: number | null = null) => {
  const copied = eventsOf(read(lines, until), '/p', 'Copied.', 1).map(({ event }) => event);
  return normalize([...historyOf(copied).messages(), user('go on')]);
};

describe('the steps of a log of Claude Code', () => {
  it('are those of the branch that its newest message ends', () => {
    const lines = [
      line('user', 'u0', null, 'mend the keel'),
      line('assistant', 'a1', 'u0', [text('first try')]),
      line('user', 'u2', 'u0', 'no, the mast'),
      line('assistant', 'a3', 'u2', [{ type: 'thinking', thinking: 'hm', signature: 's' }]),
      line('assistant', 'a4', 'a3', [text('The mast stands.')]),
      line('user', 'x', null, 'work of a helper', { isSidechain: true }),
    ];
    expect(said(read(lines).steps)).toEqual([
      ...['user: mend the keel', 'user: no, the mast', 'answer: The mast stands.'],
    ]);
    expect(said(read(lines, 1).steps)).toEqual(['user: mend the keel', 'answer: first try']);
  });

  it('stop before a prompt, which is for the draft', () => {
    const lines = [
      line('user', 'u0', null, 'one'),
      line('assistant', 'a1', 'u0', [text('done')]),
      line('user', 'u2', 'a1', [text('two'), { type: 'document', source: {} }]),
    ];
    const { steps, prompt } = read(lines, 2);
    expect(said(steps)).toEqual(['user: one', 'answer: done']);
    expect(prompt).toEqual([text('two'), text('[A block of the type document was here.]')]);
    expect(read(lines, 1).prompt).toBeNull();
  });

  it('have the results of all calls that ran together, and all blocks of an answer', () => {
    const message = { message: { role: 'assistant', id: 'm', content: [call('t1')] } };
    const second = { message: { role: 'assistant', id: 'm', content: [call('t2')] } };
    const lines = [
      line('user', 'u0', null, 'look'),
      line('assistant', 'a1', 'u0', null, message),
      line('assistant', 'a2', 'a1', null, second),
      line('user', 'r1', 'a1', [output('t1', 'one')]),
      line('user', 'r2', 'a2', [output('t2', 'two')]),
      line('assistant', 'a3', 'r2', [text('seen')]),
    ];
    expect(said(read(lines).steps)).toEqual([
      ...['user: look', 'call', 'call', 'result of t1', 'result of t2', 'answer: seen'],
    ]);
    expect(said(read(lines, 1).steps)).toHaveLength(5);
    expect(refused(request(lines))).toBeNull();
  });

  it('begin anew with a summary, over what stood before it', () => {
    const boundary = {
      ...{ type: 'system', subtype: 'compact_boundary', uuid: 'b', parentUuid: null },
      logicalParentUuid: 'a1',
    };
    const lines = [
      line('user', 'u0', null, 'one'),
      line('assistant', 'a1', 'u0', [text('done')]),
      boundary,
      line('user', 's', 'b', 'All that was done.', { isCompactSummary: true }),
      line('user', 'u2', 's', 'two'),
    ];
    expect(said(read(lines).steps)).toEqual([
      ...['user: one', 'answer: done', 'summary: All that was done.', 'user: two'],
    ]);
    const sent = JSON.stringify(request(lines));
    expect(sent).toContain('All that was done.');
    expect(sent).not.toContain('"one"');
  });

  it('show commands as they were typed, and leave out what only the program said', () => {
    const command =
      '<command-message>fix</command-message><command-name>/fix</command-name><command-args>the mast</command-args>';
    const lines = [
      line('user', 'm', null, 'Caveat: the program says', { isMeta: true }),
      line('user', 'u0', 'm', command),
      line('user', 'u1', 'u0', '<local-command-stdout>fine</local-command-stdout>'),
      line('user', 'u2', 'u1', '<bash-input>ls</bash-input>'),
      line('assistant', 'a3', 'u2', [text('Overloaded')], { isApiErrorMessage: true }),
    ];
    expect(read(lines, 1).prompt).toEqual([text('/fix the mast')]);
    expect(said(read(lines).steps)).toEqual([
      'program: Caveat: the program says',
      'user: /fix the mast',
      'program: <local-command-stdout>fine</local-command-stdout>',
      'user: ! ls',
    ]);
  });

  it('are all there where lines name no line before them, or one that is gone', () => {
    const bare = [
      { type: 'user', message: { content: 'one' } },
      { type: 'assistant', message: { content: [text('done')] } },
    ];
    expect(said(read(bare).steps)).toEqual(['user: one', 'answer: done']);
    expect(brief(request([...bare, ...bare]))).toEqual([
      ...['u: one', 'a: done', 'u: one', 'a: done', 'u: go on'],
    ]);
    const torn = [line('user', 'u0', null, 'one'), line('assistant', 'a1', 'gone', [text('done')])];
    expect(said(read(torn).steps)).toEqual(['user: one', 'answer: done']);
    const round = [line('user', 'u0', 'a1', 'one'), line('assistant', 'a1', 'u0', [text('done')])];
    expect(said(read(round).steps)).toEqual(['user: one', 'answer: done']);
    const before = [
      line('user', 'u0', null, 'first'),
      line('assistant', 'a0', 'u0', [text('yes')]),
    ];
    const ring = [line('user', 'u1', 'a2', 'one'), line('assistant', 'a2', 'u1', [text('done')])];
    expect(said(read([...before, ...ring]).steps)).toEqual([
      ...['user: first', 'answer: yes', 'user: one', 'answer: done'],
    ]);
    const own = line('assistant', 'a1', 'a1', [text('done')]);
    expect(said(read([...before, own]).steps)).toEqual([
      ...['user: first', 'answer: yes', 'answer: done'],
    ]);
  });

  it('are read past lines that are none, whatever ends them', () => {
    const log = `\uFEFF${jsonl([line('user', 'u0', null, 'one')]).replace('\n', '\r\n')}{torn\n\n[1]\nnull\n\u0000\n`;
    const { steps, unread } = claudeSteps(placed(log.replace('\uFEFF', '')), null);
    expect(said(steps)).toEqual(['user: one']);
    expect(unread).toBe(4);
  });

  it('take a session once that a resumed one repeats', () => {
    const first = [line('user', 'u0', null, 'one'), line('assistant', 'a1', 'u0', [text('done')])];
    expect(said(read([...first, ...first, line('user', 'u2', 'a1', 'two')]).steps)).toEqual([
      ...['user: one', 'answer: done', 'user: two'],
    ]);
  });

  it('keep answers apart that a proxy gave one id', () => {
    const same = (uuid: string, parent: string, words: string, requestId?: string) =>
      line('assistant', uuid, parent, null, {
        requestId,
        message: { role: 'assistant', id: 'same', content: [text(words)] },
      });
    const lines = [
      line('user', 'u0', null, 'one'),
      same('a1', 'u0', 'taken back', 'r1'),
      line('user', 'u2', 'u0', 'two'),
      same('a3', 'u2', 'first', 'r2'),
      line('user', 'u4', 'a3', 'three'),
      same('a5', 'u4', 'second', 'r2'),
    ];
    expect(brief(request(lines))).toEqual([
      ...['u: one | two', 'a: first', 'u: three', 'a: second', 'u: go on'],
    ]);
  });

  it('give a call without a result one that says so (samples, SES-011)', () => {
    const lines = [
      line('user', 'u0', null, 'm0'),
      line('assistant', 'a1', 'u0', [call('t1')], { timestamp: undefined }),
    ];
    const sent = request(lines);
    expect(brief(sent)).toEqual(['u: m0', 'a: t1', 'u: t1 | go on']);
    expect(JSON.stringify(sent)).toContain('has no result');
    expect(refused(sent)).toBeNull();
  });

  it('make a request that the API takes, whatever the log holds', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', '');
    const block = fc.oneof(
      id.map((one) => call(one)),
      id.map((one) => output(one, 'x')),
      fc.constantFrom(
        ...[text('words'), text(''), { type: 'thinking', thinking: 't', signature: 's' }],
        ...[{ type: 'image', source: { type: 'url', url: 'x' } }, { type: 'tool_use' }, {}],
      ),
    );
    const any = fc.record({
      type: fc.constantFrom('user', 'assistant', 'system', 'summary', 'progress'),
      uuid: id,
      parentUuid: fc.option(id),
      isSidechain: fc.boolean(),
      isMeta: fc.boolean(),
      isCompactSummary: fc.boolean(),
      message: fc.oneof(
        fc.record({ id, content: fc.oneof(fc.string(), fc.array(block, { maxLength: 4 })) }),
        fc.jsonValue(),
      ),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), fc.option(fc.nat({ max: 7 })), (lines, at) => {
        expect(refused(request(lines, at))).toBeNull();
      }),
      { numRuns: runs(1_000) },
    );
  });
});
