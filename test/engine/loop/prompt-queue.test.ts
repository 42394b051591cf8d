import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeQueued,
  createPromptQueue,
  enqueue,
  MAX_QUEUED_PROMPTS,
  type PromptChange,
  takeBetweenTurns,
} from '../../../src/main/engine/loop/prompt-queue';
import {
  type PromptPriority,
  type QueuedPrompt,
  queueAfter,
} from '../../../src/shared/queued-prompt';
import { countingIds } from '../../support/memory-clock';

const prompt = (id: string, priority: PromptPriority): QueuedPrompt => ({ id, text: id, priority });
const queue = [prompt('n1', 'now'), prompt('a', 'next'), prompt('b', 'next'), prompt('c', 'later')];
const ids = (list: readonly QueuedPrompt[] | null) => list?.map((p) => p.id).join(' ');

describe('the queue of prompts', () => {
  it.each<[PromptPriority, string]>([
    ['now', 'n1 x a b c'],
    ['next', 'n1 a b x c'],
    ['later', 'n1 a b c x'],
  ])('puts a prompt behind those of its priority: %s', (priority, expected) => {
    expect(ids(enqueue(queue, prompt('x', priority)))).toBe(expected);
  });

  it('is bounded', () => {
    const full = Array.from({ length: MAX_QUEUED_PROMPTS }, (_, i) => prompt(`p${i}`, 'next'));
    expect(enqueue(full, prompt('x', 'now'))).toBeNull();
  });

  it.each<[string, string, PromptChange, string]>([
    ['moves up', 'b', { place: 0 }, 'n1 b a c'],
    ['moves down', 'a', { place: 5 }, 'n1 b a c'],
    ['stays when only the text changes', 'a', { text: 'new' }, 'n1 a b c'],
    ['is wanted now', 'b', { priority: 'now' }, 'n1 b a c'],
    ['is wanted now and first', 'b', { priority: 'now', place: 0 }, 'b n1 a c'],
    ['can wait', 'a', { priority: 'later' }, 'n1 b c a'],
    ['takes any number for a place', 'b', { place: -3.7 }, 'n1 b a c'],
  ])('%s', (_name, id, change, expected) => {
    const changed = changeQueued(queue, id, change);
    expect(ids(changed)).toBe(expected);
    expect(changed?.find((p) => p.id === id)?.text).toBe(change.text ?? id);
  });

  it('says when a prompt no longer waits', () => {
    expect(changeQueued(queue, 'gone', { place: 0 })).toBeNull();
  });

  it('gives now and next between turns, and keeps later', () => {
    const { taken, rest } = takeBetweenTurns(queue);
    expect([ids(taken), ids(rest)]).toEqual(['n1 a b', 'c']);
  });

  it('holds what waits until it is let in, but for what is to cut the turn', () => {
    const prompts = createPromptQueue(countingIds(), () => {}, queue);
    prompts.hold();
    prompts.enqueue('new', 'next', [], 'new');
    expect([prompts.due()?.id, prompts.waiting()]).toEqual(['n1', 2]);
    expect(ids(prompts.takeQueued())).toBe('n1 new');
    expect(prompts.due()).toBeNull();
    prompts.release();
    expect(prompts.due()?.id).toBe('a');
    expect(ids(prompts.takeQueued())).toBe('a b');
  });

  it('tells which prompts are held, and only when that changes', () => {
    const told: (readonly string[])[] = [];
    let shown: readonly QueuedPrompt[] = [];
    let known = 0;
    const prompts = createPromptQueue(countingIds(), (change) => {
      told.push(change.held ?? []);
      shown = queueAfter(shown, change);
      expect(shown).toEqual(prompts.list());
      // The words of what is held or goes on are not written again.
      expect(change.added?.map(({ text }) => text) ?? []).toEqual(
        change.order.length > known ? ['words'] : [],
      );
      known = change.order.length;
    });
    prompts.hold();
    prompts.enqueue('words', 'next', [], 'a');
    prompts.release();
    expect(told).toEqual([[]]);
    prompts.hold();
    prompts.hold();
    prompts.enqueue('words', 'next', [], 'b');
    expect(prompts.list().map(({ held }) => held)).toEqual([true, undefined]);
    prompts.release();
    expect(prompts.list().map(({ held }) => held)).toEqual([undefined, undefined]);
    expect(told).toEqual([[], ['a'], ['a'], []]);
  });

  it('keeps a prompt that is edited, and what waits behind it, until no window edits it', () => {
    const prompts = createPromptQueue(countingIds(), () => {}, queue);
    const ends = [prompts.edit('b'), prompts.edit('b')];
    expect(ids(prompts.takeQueued())).toBe('n1 a');
    ends[0]?.();
    ends[0]?.();
    expect([prompts.due(), prompts.waiting()]).toEqual([null, 0]);
    ends[1]?.();
    expect(prompts.due()?.id).toBe('b');
  });

  it('loses nothing and keeps the order of priorities under any change', () => {
    const change = fc.record({
      id: fc.constantFrom('n1', 'a', 'b', 'c'),
      priority: fc.option(fc.constantFrom<PromptPriority>('now', 'next', 'later'), {
        nil: undefined,
      }),
      place: fc.option(fc.integer(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const end = changes.reduce<readonly QueuedPrompt[]>(
          (list, { id, ...rest }) => changeQueued(list, id, rest) ?? [],
          queue,
        );
        const ranks = end.map((p) => ['now', 'next', 'later'].indexOf(p.priority));
        expect(end.map((p) => p.id).toSorted()).toEqual(['a', 'b', 'c', 'n1']);
        expect(ranks).toEqual(ranks.toSorted());
      }),
    );
  });
});
