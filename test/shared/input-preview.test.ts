import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { previewInput, previewTarget } from '../../src/shared/input-preview';
import { runs } from '../support/runs';

describe('the target of a half-received call', () => {
  it.each([
    ['{"file_path":"/home/a/pro', ''],
    ['{"file_path":"/home/a/project/src/b', 'src/b'],
    ['{"file_path":"/home/a/project-2/b', '/home/a/project-2/b'],
    ['{"command":"cat /home/a/project/b', 'cat /home/a/project/b'],
    ['{"content":"x","file_path":"/etc/hosts"', '/etc/hosts'],
  ])('%s: "%s"', (json, target) => {
    expect(previewTarget(json, '/home/a/project')).toBe(target);
  });
});

describe('a preview of a half-received input', () => {
  it.each([
    ['', {}],
    ['{', {}],
    ['{"comm', {}],
    ['{"command":', {}],
    ['{"command":"npm te', { command: 'npm te' }],
    ['{"command":"a\\', { command: 'a' }],
    ['{"command":"a\\\\', { command: 'a\\' }],
    ['{"command":"a\\u00', { command: 'a' }],
    ['{"a":1,"b":tr', { a: 1 }],
    ['{"a":[1,{"b":"c', { a: [1, { b: 'c' }] }],
    ['{"a":"}{][,","b":"x', { a: '}{][,', b: 'x' }],
    ['[1,2', {}],
    ['nonsense', {}],
  ])('%s', (json, seen) => {
    expect(previewInput(json)).toEqual(seen);
  });

  it('never throws, never invents: finished fields are the true ones, texts are beginnings', () => {
    const input = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue()), { maxKeys: 5 });
    fc.assert(
      fc.property(input, fc.nat(), (whole, cut) => {
        const json = JSON.stringify(whole);
        const truth: Record<string, unknown> = JSON.parse(json);
        const seen = Object.entries(previewInput(json.slice(0, cut % (json.length + 1))));
        for (const [i, [key, value]] of seen.entries()) {
          expect(Object.hasOwn(truth, key)).toBe(true);
          const real = truth[key];
          if (i < seen.length - 1) expect(value).toEqual(real);
          else if (typeof value === 'string') expect(String(real).startsWith(value)).toBe(true);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
