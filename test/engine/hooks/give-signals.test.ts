import { expect, test } from 'vitest';
import { createSignals } from '../../../src/main/engine/hooks/give-signals';
import { readReply } from '../../../src/main/engine/hooks/reply';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { memoryClock } from '../../support/memory-clock';
import { ofType } from '../query/support';
import { hook } from './support';

const BELL = '\u0007';

function setUp() {
  const events: AgentEvent[] = [];
  const clock = memoryClock();
  const give = createSignals(clock, (event) => events.push(event));
  const rings = (run: string, terminalSequence: string) => {
    const stdout = JSON.stringify({ terminalSequence });
    const end = { kind: 'exited', exitCode: 0, stdout, stderr: '' } as const;
    give(hook('Stop', run), readReply('Stop', end));
  };
  const notices = () => ofType(events, 'notice').map(({ text }) => text);
  return { clock, rings, notices, given: () => ofType(events, 'terminal_signals').length };
}

test('what a hook may not have emitted is told once of each hook, and the rest is given', () => {
  const { rings, notices, given } = setUp();
  rings('one.sh', `${BELL}\u001b[0m`);
  rings('one.sh', `${BELL}\u001b[0m`);
  rings('two.sh', '\u001b[0m');
  expect(given()).toBe(2);
  expect(notices()).toEqual(
    ['one.sh', 'two.sh'].map(
      (run) =>
        `The terminalSequence of a hook may not have this, which was dropped: other escape sequences (${run})`,
    ),
  );
});

test('a flood is cut, told, and over when the time is', async () => {
  const { clock, rings, notices, given } = setUp();
  for (let count = 0; count < 100; count += 1) rings('bell.sh', BELL);
  expect(given()).toBe(20);
  expect(notices()).toEqual([expect.stringContaining('dropped: more than 20 in 10 s (bell.sh)')]);
  await clock.advance(10_000);
  rings('bell.sh', BELL);
  expect(given()).toBe(21);
});
