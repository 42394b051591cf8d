import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { touchesIn } from '../../../src/main/engine/permissions/shell-paths';
import { runs } from '../../support/runs';
import { DISGUISES, PLACES, RUNTIME_DISGUISES, WRAPPERS } from './support/grammar';
import { rulesOf } from './support/judge';
import { sharedFixture } from './support/table';

const fixture = sharedFixture();
const RULES = rulesOf({ deny: ['Bash(rm:*)'], allow: ['Bash'] });

async function behaviorOf(command: string): Promise<string> {
  const { context, parser } = fixture();
  const analysis = await parser.analyze(command);
  const request = {
    kind: 'shell',
    tool: 'Bash',
    command,
    cwd: context.cwd,
    analysis,
    touches: touchesIn(analysis, context),
    realPaths: {},
  } as const;
  return decide(request, RULES, 'bypassPermissions', context).behavior;
}

async function failures(lines: readonly string[], accepted: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const line of lines) {
    const behavior = await behaviorOf(line);
    if (!accepted.includes(behavior)) found.push(`${behavior}: ${JSON.stringify(line)}`);
  }
  return found;
}

test.each(PLACES)(
  'THREATS 3, 4: a deny rule hits in this place behind every wrapper: $name',
  async ({ around }) => {
    const lines = WRAPPERS.map((wrapper) => around(`${wrapper}rm -rf dist`));
    expect(await failures(lines, ['deny'])).toEqual([]);
  },
);

test.each(PLACES)('a deny rule hits every way to write the name: $name', async ({ around }) => {
  const lines = DISGUISES.map((disguise) => around(`${disguise} -rf dist`));
  // A quote inside a quote inside a script may be too much: then it is asked.
  expect(await failures(lines, ['deny', 'ask'])).toEqual([]);
});

test('a deny rule hits every way to write the name', async () => {
  const lines = DISGUISES.map((disguise) => `${disguise} -rf dist`);
  expect(await failures(lines, ['deny'])).toEqual([]);
});

test.each(PLACES)('a name only known at run time is never allowed: $name', async ({ around }) => {
  const lines = RUNTIME_DISGUISES.map((disguise) => around(`${disguise} -rf dist`));
  expect(await failures(lines, ['deny', 'ask'])).toEqual([]);
});

test('THREATS 3, 4: a denied command in any composition of places and wrappers is never allowed', async () => {
  const layer = fc.tuple(fc.constantFrom(...PLACES), fc.constantFrom(...WRAPPERS));
  const layers = fc.array(layer, { minLength: 1, maxLength: 3 });
  const name = fc.constantFrom(...DISGUISES, ...RUNTIME_DISGUISES);
  await fc.assert(
    fc.asyncProperty(name, layers, async (denied, steps) => {
      const line = steps.reduce(
        (inner, [place, wrapper], depth) =>
          place.around(depth === 0 ? `${wrapper}${inner}` : inner),
        `${denied} -rf dist`,
      );
      expect(await behaviorOf(line), line).not.toBe('allow');
    }),
    { numRuns: runs(1_500) },
  );
});
