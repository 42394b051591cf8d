import { expect, it } from 'vitest';
import { serverInstructions } from '../../../src/main/engine/attachments/server-instructions';
import type { Message } from '../../../src/shared/message';

const ALPHA = { server: 'alpha', text: 'first' };
const ZETA = { server: 'zeta', text: 'last' };

/** A history in which the model was told what servers said, in that order. */
function toldOf(...rounds: (readonly (typeof ALPHA)[])[]): Message[] {
  const history: Message[] = [];
  for (const [at, said] of rounds.entries()) {
    const found = serverInstructions(history, said);
    if (found !== null) history.push({ role: 'attachment', id: `m${at}`, ...found } as Message);
  }
  return history;
}

it('tells all of them in one order, and nothing of one that says nothing', () => {
  const found = serverInstructions([], [ZETA, { server: 'quiet', text: ' ' }, ALPHA]);
  expect(found?.text).toMatch(/^# .*\n\n## alpha\nfirst\n\n## zeta\nlast$/);
  expect(serverInstructions([], [])).toBeNull();
});

it('tells each once, also when it went and came back, and the next one by itself', () => {
  const history = toldOf([ALPHA], []);
  expect(history).toHaveLength(1);
  expect(serverInstructions(history, [ALPHA])).toBeNull();
  expect(serverInstructions(history, [ALPHA, ZETA])?.text).not.toContain('first');
  expect(serverInstructions(toldOf([ALPHA], [ALPHA, ZETA]), [ZETA, ALPHA])).toBeNull();
});

it('tells again what a server says otherwise, and what another one says in its words', () => {
  const history = toldOf([ALPHA]);
  expect(serverInstructions(history, [{ ...ALPHA, text: 'second' }])?.text).toContain('second');
  expect(serverInstructions(history, [{ ...ALPHA, server: 'beta' }])?.text).toContain('## beta');
});
