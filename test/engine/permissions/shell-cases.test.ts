import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionMode } from '../../../src/shared/permission';
import type { RuleTexts } from './support/judge';
import { expectShell, sharedFixture } from './support/table';

const fixture = sharedFixture();

interface Group {
  readonly expect: string;
  readonly rules?: RuleTexts;
  readonly mode?: string;
  readonly commands: readonly string[];
}

/** One group a line, so that a line can be tried by hand: `expect`, `rules`, `mode`, `commands`. */
const GROUPS: readonly Group[] = readFileSync(
  path.join(import.meta.dirname, 'shell-cases.ndjson'),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

test('THREATS 3, 5: the table is large', () => {
  expect(GROUPS.flatMap((group) => group.commands).length).toBeGreaterThan(2_900);
});

describe.each(
  GROUPS.map((group) => ({
    ...group,
    name: `${group.expect} ${JSON.stringify(group.rules ?? {})}`,
  })),
)('$name in $mode', ({ expect: expected, rules = {}, mode = 'default', commands }) => {
  test.each(commands.map((command) => [JSON.stringify(command), command]))('%s', (_, command) =>
    expectShell(fixture(), expected, command, rules, mode as PermissionMode),
  );
});
