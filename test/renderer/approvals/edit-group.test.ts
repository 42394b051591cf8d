import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FileKey,
  fileIntent,
  groupQuestions,
  isEdit,
  sameReason,
  sharedSuggestions,
  titleOfEdits,
} from '../../../src/renderer/approvals/edit-group';
import { answersTo } from '../../../src/renderer/approvals/use-asking';
import { createKeymap, NO_BINDINGS } from '../../../src/shared/keymap';
import type { Approval } from '../../../src/shared/permission';
import { commandApproval, editApproval } from '../../support/gallery/approval-fixtures';

const KEYMAP = createKeymap(NO_BINDINGS, false);

const edit = (path: string, more: Partial<Approval> = {}): Approval => ({
  ...editApproval,
  id: `a:${path}`,
  digest: `d:${path}`,
  response: 'r1',
  subject: { kind: 'edit', path, realPath: path, created: false, hunks: [] },
  ...more,
});
const command = (id: string): Approval => ({ ...commandApproval, id, response: 'r1' });
const paths = (approvals: readonly Approval[]) =>
  groupQuestions(approvals).map((group) => group.map(({ id }) => id));

describe('THREATS 12: edits that wait together, and nothing else', () => {
  it.each([
    ['neighbours of one response', [edit('a'), edit('b'), edit('c')], [['a:a', 'a:b', 'a:c']]],
    ['a command is alone', [edit('a'), command('x'), edit('b')], [['a:a'], ['x'], ['a:b']]],
    ['a command first', [command('x'), edit('a'), edit('b')], [['x'], ['a:a', 'a:b']]],
    ['commands never join', [command('x'), command('y')], [['x'], ['y']]],
    ['another response', [edit('a'), edit('b', { response: 'r2' })], [['a:a'], ['a:b']]],
    ['another agent', [edit('a'), edit('b', { agent: 'Explore' })], [['a:a'], ['a:b']]],
    [
      'no response known',
      [edit('a', { response: undefined }), edit('b', { response: undefined })],
      [['a:a'], ['a:b']],
    ],
    ['one file twice', [edit('a'), edit('a', { id: 'again' })], [['a:a'], ['again']]],
  ] satisfies readonly [string, readonly Approval[], readonly (readonly string[])[]][])(
    '%s',
    (_, approvals, groups) => expect(paths(approvals)).toEqual(groups),
  );

  it('one file under two names is never shown together', () => {
    const link = edit('link', {
      subject: { kind: 'edit', path: 'link', realPath: 'a', created: false, hunks: [] },
    });
    expect(paths([edit('a'), link])).toEqual([['a:a'], ['a:link']]);
  });

  it('keeps every question, in order, and mixes nothing, whatever waits', () => {
    const question = fc
      .record({
        kind: fc.constantFrom('edit', 'command'),
        path: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        response: fc.constantFrom('r1', 'r2', undefined),
        agent: fc.constantFrom('Explore', undefined),
      })
      .map(({ kind, path, ...more }) => (kind === 'edit' ? edit(path, more) : command(path)));
    fc.assert(
      fc.property(fc.array(question, { maxLength: 30 }), (approvals) => {
        const groups = groupQuestions(approvals);
        expect(groups.flat()).toEqual(approvals);
        for (const group of groups.filter(({ length }) => length > 1)) {
          expect(group.every(isEdit)).toBe(true);
          expect(new Set(group.map(({ response, agent }) => `${response} ${agent}`)).size).toBe(1);
          expect(new Set(group.map(({ id }) => id)).size).toBe(group.length);
          expect(group.length).toBeLessThanOrEqual(10);
        }
      }),
    );
  });
});

describe('what is said about several files', () => {
  const rule = (text: string) => ({ rule: text, destination: 'session' as const });
  const offering = (path: string, ...rules: string[]) =>
    edit(path, { decision: { ...editApproval.decision, suggestions: rules.map(rule) } });

  it('offers only rules that would have allowed all of them', () => {
    const inFolder = [
      offering('src/a', 'Edit(/src/a)', 'Edit(/src/**)'),
      offering('src/b', 'Edit(/src/b)', 'Edit(/src/**)'),
    ];
    expect(sharedSuggestions(inFolder)).toEqual([rule('Edit(/src/**)')]);
    expect(
      sharedSuggestions([...inFolder, edit('.husky/pre-commit', { decision: alone })]),
    ).toEqual([]);
  });
  const alone = { ...editApproval.decision, reason: 'it is a protected file', suggestions: [] };

  it('knows whether they ask for one reason', () => {
    expect(sameReason([edit('a'), edit('b')])).toBe(true);
    expect(sameReason([edit('a'), edit('b', { decision: alone })])).toBe(false);
  });

  it('names the act', () => {
    const made = (path: string) =>
      edit(path, { subject: { kind: 'edit', path, realPath: path, created: true, hunks: [] } });
    const titles = [[edit('a')], [edit('a'), made('b')], [made('a'), made('b'), made('c')]];
    expect(titles.map((edits) => titleOfEdits(edits.filter(isEdit)))).toEqual([
      'Edit a file',
      'Edit 2 files',
      'Create 3 files',
    ]);
  });
});

describe('the answers', () => {
  it('name exactly what was shown, each with its own digest, and save a rule once', () => {
    const remember = { rule: 'Edit(/src/**)', destination: 'session' } as const;
    expect(answersTo([edit('a'), edit('b')], { behavior: 'allow', remember })).toEqual([
      { approvalId: 'a:a', answer: { behavior: 'allow', digest: 'd:a', remember } },
      { approvalId: 'a:b', answer: { behavior: 'allow', digest: 'd:b' } },
    ]);
  });
  it('deny every one with the same words', () => {
    const no = { behavior: 'deny', message: 'Use tabs' } as const;
    expect(answersTo([edit('a'), edit('b')], no)).toEqual([
      { approvalId: 'a:a', answer: no },
      { approvalId: 'a:b', answer: no },
    ]);
  });
});

const press = (key: string, more: Partial<FileKey> = {}) =>
  fileIntent(KEYMAP, {
    ...{ key, code: '', mod: false, other: false, alt: false, shift: false },
    repeat: false,
    at: 1,
    count: 3,
    others: false,
    guardLeft: 0,
    ...more,
  });
const MOD = { mod: true };

it.each([
  ['down goes to the next file', press('ArrowDown'), { kind: 'select', at: 2 }],
  ['up goes to the one before', press('ArrowUp'), { kind: 'select', at: 0 }],
  ['the end goes round', press('ArrowDown', { at: 2 }), { kind: 'select', at: 0 }],
  ['the beginning goes round', press('ArrowUp', { at: 0 }), { kind: 'select', at: 2 }],
  ['on to other questions', press('ArrowDown', { at: 2, others: true }), { kind: 'leave', by: 1 }],
  ['back to them', press('ArrowUp', { at: 0, others: true }), { kind: 'leave', by: -1 }],
  ['not with a modifier', press('ArrowDown', { shift: true }), { kind: 'none' }],
  ['one is allowed', press('Enter', MOD), { kind: 'allowOne' }],
  ['Enter alone means all', press('Enter'), { kind: 'none' }],
  ['one is denied', press('Delete'), { kind: 'denyOne' }],
  ['also by Backspace', press('Backspace'), { kind: 'denyOne' }],
  ['deleting a word is no answer', press('Backspace', MOD), { kind: 'none' }],
  ['a key left over from typing', press('Backspace', { guardLeft: 1 }), { kind: 'stray' }],
  ['a held key', press('Enter', { ...MOD, repeat: true }), { kind: 'stray' }],
  ['too early', press('Enter', { ...MOD, guardLeft: 400 }), { kind: 'stray' }],
  ['any other key', press('x'), { kind: 'none' }],
] as const)('%s', (_, intent, expected) => expect(intent).toEqual(expected));
