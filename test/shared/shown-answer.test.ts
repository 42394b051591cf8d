import { describe, expect, it, test } from 'vitest';
import type { AgentEvent } from '../../src/shared/agent-event';
import { createShownAnswer } from '../../src/shared/shown-answer';

const begun: AgentEvent = { type: 'query_started', queryId: 'q' };
const said = (messageId: string, index: number, text: string): AgentEvent => ({
  ...{ type: 'block_finished', messageId, index, model: 'x' },
  block: { type: 'text', text },
});
const replaced = (messageId: string, index: number, text: string): AgentEvent => ({
  ...{ type: 'text_replaced', messageId, index, text },
});
const gone = (messageId: string): AgentEvent => ({
  ...{ type: 'tombstone', messageId, reason: 'cut' },
});

const shown = (end: string, ...events: readonly AgentEvent[]) => {
  const answer = createShownAnswer();
  for (const event of [begun, ...events]) answer.see(event);
  return answer.shown(end);
};

describe('the end of a query', () => {
  it('is as it came where no hook replaced anything in that query', () => {
    expect(shown('Other words.', said('a', 0, 'One.'))).toBe('Other words.');
    const before = [said('a', 0, 'One.'), replaced('a', 0, 'X'), begun];
    expect(shown('One.', ...before)).toBe('One.');
    expect(shown('', ...before)).toBe('');
  });

  test.each<[string, string, readonly AgentEvent[], string]>([
    ['one text', 'One.', [said('a', 0, 'One.'), replaced('a', 0, 'X')], 'X'],
    ['a text of which nothing is shown', 'One.', [said('a', 0, 'One.'), replaced('a', 0, '')], ''],
    [
      'several texts',
      'One.\n\nTwo.\n\nThree.',
      [said('a', 0, 'One.'), said('a', 1, 'Two.'), said('a', 3, 'Three.'), replaced('a', 1, 'X')],
      'One.\n\nX\n\nThree.',
    ],
    [
      'several texts, of one of which nothing is shown',
      'One.\n\nTwo.',
      [said('a', 0, 'One.'), said('a', 1, 'Two.'), replaced('a', 0, '')],
      'Two.',
    ],
    [
      'an answer that went on in another message',
      'The secret is lo\n\nand\n\nlong.',
      [
        ...[said('0', 0, 'Looking.'), replaced('0', 0, 'Not this.')],
        ...[said('a', 0, 'The secret is lo\n\n'), replaced('a', 0, 'The ****** is lo\n\n')],
        ...[said('b', 0, 'and'), said('b', 1, 'long.')],
      ],
      'The ****** is lo\n\nand\n\nlong.',
    ],
    [
      'an answer whose first try was taken back',
      'One.Two.',
      [
        ...[said('a', 0, 'One.'), replaced('a', 0, 'X')],
        ...[said('b', 0, 'Tw'), replaced('b', 0, 'Y'), gone('b'), said('c', 0, 'Two.')],
      ],
      'XTwo.',
    ],
    [
      'a refusal that quotes an answer that was taken back',
      'Declined. It said: secret',
      [said('a', 0, 'secret'), replaced('a', 0, '******'), gone('a')],
      'Declined. It said: ******',
    ],
    [
      'words that stand elsewhere',
      'It said: $secret$, and more.',
      [said('a', 0, '$secret$'), replaced('a', 0, "$&$'")],
      "It said: $&$', and more.",
    ],
    [
      'a failure that says nothing of them',
      'Overloaded.',
      [said('a', 0, 'secret'), replaced('a', 0, '******')],
      'Overloaded.',
    ],
  ])('has what is shown of %s', (_, end, events, expected) => {
    expect(shown(end, ...events)).toBe(expected);
  });
});
