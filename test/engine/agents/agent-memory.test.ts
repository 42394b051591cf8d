import { expect, it } from 'vitest';
import { beginningOf } from '../../../src/main/engine/agents/agent-memory';

it.each([
  ['short notes whole', 'a\nb\n', 'a\nb'],
  ['the first 200 lines', 'x\n'.repeat(203), `${'x\n'.repeat(200)}(3 more lines)`],
  ['25 KB', `${'y'.repeat(20_000)}\n${'z'.repeat(20_000)}`, `${'y'.repeat(20_000)}\n(1 more line)`],
])('an agent begins with its notes: %s', (_, text, kept) => expect(beginningOf(text)).toBe(kept));
