import { describe, expect, it } from 'vitest';
import {
  answersSince,
  levelReached,
  modeReminder,
  todoReminderDue,
  turnsLeftToTell,
} from '../../../src/main/engine/attachments/cadence';
import {
  budgetNotice,
  contextNotice,
  turnsNotice,
} from '../../../src/main/engine/attachments/limits';
import {
  createModeReminders,
  reminderFor,
} from '../../../src/main/engine/attachments/mode-reminders';
import { createQueuedPromptNotes } from '../../../src/main/engine/attachments/queued-prompts';
import { createTodoReminders } from '../../../src/main/engine/attachments/todo-reminders';
import type { Message } from '../../../src/shared/message';
import type { PermissionMode } from '../../../src/shared/permission';
import type { TodoItem } from '../../../src/shared/tool-call';
import { answer, answers, attached, contextOf, prompt, take } from './support';

describe('cadences', () => {
  it.each<[number, number, ReturnType<typeof modeReminder>]>([
    [0, 0, 'full'],
    [1, 0, null],
    [1, 4, null],
    [1, 5, 'short'],
    [4, 5, 'short'],
    [5, 4, null],
    [5, 5, 'full'],
    [6, 9, 'short'],
    [10, 5, 'full'],
  ])('mode: %i said, %i answers since → %s', (said, since, expected) => {
    expect(modeReminder(said, since)).toBe(expected);
  });

  it.each<[number, number | null, number | null, boolean]>([
    [0, null, null, false],
    [0, 50, 50, false],
    [2, null, null, true],
    [2, 9, null, false],
    [2, 10, null, true],
    [2, 30, 9, false],
    [2, 30, 10, true],
    [2, null, 9, false],
    [2, null, 10, true],
    [2, 3, 20, false],
  ])('todos: %i open, written %s, reminded %s answers ago → %s', (open, write, said, due) => {
    expect(todoReminderDue(open, write, said)).toBe(due);
  });

  it.each<[number, number[], number | null]>([
    [0.69, [], null],
    [0.7, [], 0.7],
    [0.84, [0.7], null],
    [0.86, [0.7], 0.85],
    [0.99, [], 0.85],
    [0.99, [0.85], null],
    [0.75, [0.85], null],
  ])('levels: at %d, told %j → %s', (part, told, expected) => {
    expect(levelReached(part, [0.7, 0.85], new Set(told))).toBe(expected);
  });

  it.each<[number, number | null, number | null]>([
    [3, null, null],
    [1, 2, null],
    [3, 5, null],
    [4, 5, 1],
    [17, 20, null],
    [18, 20, 2],
    [45, 50, 5],
  ])('turns: %i of %s begun → %s', (turns, max, expected) => {
    expect(turnsLeftToTell(turns, max)).toBe(expected);
  });

  it('count answers, not messages', () => {
    const h = [prompt('1'), answer('a'), prompt('2'), prompt('3'), answer('b')];
    expect(answersSince(h, (m) => m.id === 'u 1')).toBe(2);
    expect(answersSince(h, (m) => m.id === 'b')).toBe(0);
    expect(answersSince(h, (m) => m.id === 'nothing')).toBeNull();
  });
});

/** Lets a mode go on for a while and notes at which answer which reminder came. */
function remindersOver(count: number, mode: PermissionMode): string[] {
  const history: Message[] = [];
  const said: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const reminder = reminderFor(history, mode);
    if (reminder) {
      said.push(`${i}:${reminder.text.includes('\n') ? 'full' : 'short'}`);
      history.push(attached(reminder));
    }
    history.push(answer(`a${i}`));
  }
  return said;
}

describe('mode reminders', () => {
  it('come at once, then every five answers, every fifth in full', () => {
    expect(remindersOver(31, 'plan')).toEqual([
      '0:full',
      '5:short',
      '10:short',
      '15:short',
      '20:short',
      '25:full',
      '30:short',
    ]);
  });

  it('say once that a mode is over, and begin anew', () => {
    const h: Message[] = [];
    const step = (mode: PermissionMode): string | null => {
      const reminder = reminderFor(h, mode);
      if (reminder) h.push(attached(reminder));
      h.push(answer(`a${h.length}`));
      return reminder?.text ?? null;
    };
    expect(step('default')).toBeNull();
    expect(step('plan')).toMatch(/Plan mode is on/);
    expect(step('acceptEdits')).toMatch(/over/);
    expect(step('acceptEdits')).toBeNull();
    expect(step('plan')).toMatch(/Plan mode is on/);
    expect(step('auto')).toMatch(/Auto mode is on/);
    expect(step('dontAsk')).toMatch(/Nobody is asked/);
    expect(step('bypassPermissions')).toMatch(/again/);
  });

  it('start anew behind a compaction', async () => {
    const boundary: Message = { role: 'boundary', id: 'b', summary: 's' };
    const context = contextOf([boundary], { mode: 'plan' });
    expect((await take(createModeReminders('user'), context))[0]?.text).toMatch(/Plan mode is on/);
  });
});

describe('todo reminders', () => {
  const todos: readonly TodoItem[] = [
    { content: 'Look', status: 'completed', activeForm: 'Looking' },
    { content: 'Fix', status: 'in_progress', activeForm: 'Fixing' },
  ];
  it.each<[string, Message[], number]>([
    ['just written', [answer('w', 'TodoWrite')], 0],
    ['ten answers ago', [answer('w', 'TodoWrite'), ...answers(10)], 1],
    ['out of sight after a compaction', [{ role: 'boundary', id: 'b', summary: 's' }], 1],
  ])('%s', async (_, h, count) => {
    const found = await take(
      createTodoReminders(() => todos),
      contextOf(h),
    );
    expect(found).toHaveLength(count);
    if (count === 1) expect(found[0]?.text).toContain('[x] Look\n[>] Fix');
  });
});

describe('limits', () => {
  const used = (tokens: number): Message => ({
    role: 'assistant',
    id: `used ${tokens}`,
    model: 'm',
    content: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: tokens, cacheWriteTokens: 0 },
  });
  it('tell of the window once per level', () => {
    const first = contextNotice(contextOf([used(141_000)]));
    expect(first).toMatchObject({ about: '0.7' });
    if (!first) throw new Error('no notice');
    expect(contextNotice(contextOf([attached(first), used(150_000)]))).toBeNull();
    expect(contextNotice(contextOf([attached(first), used(171_000)]))).toMatchObject({
      about: '0.85',
    });
    expect(contextNotice(contextOf([]))).toBeNull();
  });

  it('do not believe counts from before a compaction', () => {
    const boundary: Message = {
      role: 'boundary',
      id: 'b',
      summary: 's',
      keptUntil: 'used 190000',
    };
    expect(contextNotice(contextOf([boundary, used(190_000)]))).toBeNull();
  });

  it('tell of money and turns once in a query', () => {
    const query = { spentUsd: 0.85, maxBudgetUsd: 1, turns: 9, maxTurns: 10 };
    const money = budgetNotice(contextOf([], { query }));
    const turns = turnsNotice(contextOf([], { query }));
    if (!money || !turns) throw new Error('no notice');
    expect(money.text).toContain('85 %');
    expect(turns.text).toContain('the last answer');
    const after = [attached(money), attached(turns)];
    expect(budgetNotice(contextOf(after, { query }))).toBeNull();
    expect(turnsNotice(contextOf(after, { query }))).toBeNull();
    const next = { ...query, queryId: 'qry_2' };
    expect(budgetNotice(contextOf(after, { query: next }))).not.toBeNull();
    expect(turnsNotice(contextOf(after, { query: next }))).not.toBeNull();
    expect(budgetNotice(contextOf([], { query: { spentUsd: 9 } }))).toBeNull();
  });
});

describe('notes on queued prompts', () => {
  const notes = createQueuedPromptNotes('user');
  const query = { promptId: 'u go', turns: 1 };
  const note = attached({ kind: 'queued_prompt', text: 't' });
  it.each<[string, Message[], number]>([
    ['the prompt that began the query', [prompt('go')], 0],
    ['a prompt in between', [prompt('go'), answer('a', 'Read'), prompt('also')], 1],
    ['two of them', [prompt('go'), answer('a', 'Read'), prompt('also'), prompt('and')], 1],
    ['one that was noted', [prompt('go'), answer('a'), prompt('also'), note], 0],
    ['one that was answered', [prompt('go'), answer('a'), prompt('also'), answer('b')], 0],
    ['an unanswered one of an earlier query', [answer('z'), prompt('old'), prompt('go')], 0],
  ])('%s', async (_, h, count) => {
    expect(await take(notes, contextOf(h, { query }))).toHaveLength(count);
  });
});
