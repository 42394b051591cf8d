import { afterAll, beforeAll, expect, test } from 'vitest';
import { rememberLooks } from '../../../../src/main/hosts/headless/check-permissions';
import { createNodeFiles } from '../../../../src/main/node/files';
import type { PermissionMode } from '../../../../src/shared/permission';
import { createFixture, type Fixture, type RuleTexts } from './judge';

/** Decisions that pass, separated by `|`. */
export type Expected = string;

/** One row: what must come out, and the line. */
export type Row = readonly [Expected, string];

/** Makes a fixture for the tests of a file. Nothing in it may change: each look at the disk is made once. */
export function sharedFixture(): () => Fixture {
  let fixture: Fixture | null = null;
  beforeAll(() => {
    fixture = createFixture(rememberLooks(createNodeFiles()));
  });
  afterAll(() => fixture?.remove());
  return () => {
    if (!fixture) throw new Error('the fixture is only there while tests run');
    return fixture;
  };
}

/** Checks one shell line. */
export async function expectShell(
  fixture: Fixture,
  expected: Expected,
  command: string,
  rules: RuleTexts,
  mode: PermissionMode,
): Promise<void> {
  const decision = await fixture.shell(command, rules, mode);
  const context = `${JSON.stringify(command)} in ${mode}: ${decision.why.join(' | ')}`;
  expect(expected.split('|'), context).toContain(decision.behavior);
  expect(decision.reason).not.toBe('');
}

/** One test for each line, all with the same rules, mode and expectation. */
export function shellTests(
  fixture: () => Fixture,
  expected: Expected,
  commands: readonly string[],
  rules: RuleTexts = {},
  mode: PermissionMode = 'default',
): void {
  test.each(commands.map((command) => [JSON.stringify(command), command]))(
    `${expected} (${mode}): %s`,
    (_, command) => expectShell(fixture(), expected, command, rules, mode),
  );
}
