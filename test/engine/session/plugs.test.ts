import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';
import { toyCommand } from './toys/toy-command';
import { toyHost } from './toys/toy-host';
import { toyLayer } from './toys/toy-layer';
import { toyMiddleware } from './toys/toy-middleware';
import { toySource } from './toys/toy-source';
import { toyWork } from './toys/toy-task';
import { toyTool } from './toys/toy-tool';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const messages = (n: number) => JSON.stringify(open?.api.requests[n]?.body.messages);

describe('one new thing of each kind, each by a line beside its own file', () => {
  it('works in a session, and after a restart', async () => {
    const asked: string[] = [];
    open = await openTestSession(
      [
        reply([
          toolUse('Toy', { text: 'hi', work: true }),
          toolUse('Toy', { text: 'boring' }),
          toolUse('Foreign', { text: 'hello' }),
          toolUse('Foreign', { text: 'a secret' }),
        ]),
        reply(['done']),
        reply(['again']),
      ],
      {
        decision: 'ask',
        tools: [toyTool()],
        toolSources: (own) => [...own, toySource],
        layers: (own) => [...own, toyLayer],
        taskRunners: (own) => [...own, toyWork],
        middleware: (own) => [...own, toyMiddleware],
        commands: (own) => [...own, toyCommand],
        host: toyHost(asked),
      },
    );
    await open.run('go');
    // The tool, and the one of the source.
    expect(messages(1)).toContain('Toy says hi');
    expect(messages(1)).toContain('Foreign says hello');
    // The layer.
    expect(messages(1)).not.toContain('Toy says boring');
    expect(messages(1)).toContain('left out by a toy');
    // The middleware.
    expect(messages(1)).toContain('No secrets here.');
    // The host.
    expect(asked.sort()).toEqual(['Foreign', 'Foreign', 'Toy', 'Toy']);
    expect(JSON.stringify(open.api.requests[0]?.body.system)).toContain('You live in a toy.');
    // The task.
    expect(messages(1)).toContain('The toy worked on hi.');
    // The command, listed and run, without the model.
    expect(open.session.commands.map(({ name }) => name)).toContain('repeat');
    for await (const _ of open.session.submit('/repeat after me')) {
      // The log has each event.
    }
    expect(JSON.stringify(open.session.log.transcript())).toContain('You said: after me.');
    expect(open.api.requests).toHaveLength(2);

    await open.reopen();
    await open.run('and now?');
    expect(messages(2)).toContain('left out by a toy');
    expect(messages(2)).not.toContain('Toy says boring');
  });
});

describe('the table in docs/architecture.md', () => {
  const root = join(import.meta.dirname, '../../..');
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] = /## To add a thing\n\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const rows = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()));

  it('has a row for each kind of toy', () => {
    const kinds = rows.map(([, kind = '']) => kind.replace(/ \(.*/, ''));
    expect(kinds).toEqual(
      expect.arrayContaining([
        'tool',
        'source of tools',
        'context layer',
        'task type',
        'concern around calls',
        'command',
        'host',
      ]),
    );
  });

  it.each(rows.map(([, kind = '', , where = '']) => [kind, where]))(
    'names the list of what is there: %s, %s',
    (_, where) => {
      const words = [...where.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
      const file = words.find((word) => word.endsWith('.ts')) ?? '';
      const path = join(root, 'src/main', file);
      expect(existsSync(path)).toBe(true);
      const source = readFileSync(path, 'utf8');
      for (const word of words) if (word !== file) expect(source).toContain(word);
    },
  );
});
