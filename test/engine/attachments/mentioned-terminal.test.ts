import { afterEach, describe, expect, it } from 'vitest';
import {
  MAX_TERMINAL_CHARS,
  namedTerminal,
} from '../../../src/main/engine/attachments/mentioned-terminal';
import { createMentions } from '../../../src/main/engine/attachments/mentions';
import { err, fault, ok } from '../../../src/shared/result';
import { type TerminalInfo, terminalMentions } from '../../../src/shared/terminal';
import { noResources } from '../../support/tool-environment';
import {
  attached,
  contextOf,
  prompt,
  type TemporaryProject,
  take,
  temporaryProject,
} from './support';

let place: TemporaryProject | null = null;
afterEach(async () => {
  await place?.close();
  place = null;
});

const shell = (project: string, over: Partial<TerminalInfo> = {}): TerminalInfo => ({
  ...{ id: 't1', kind: 'shell', sessionId: '', project, title: 'bash', cwd: project },
  ...{ pid: 1, cols: 80, rows: 24, startedAt: 1 },
  ...over,
});

/** Mentions in a project with these terminals, whose text is their id, or what `text` gives. */
async function open(
  terminals: (project: string) => readonly TerminalInfo[],
  text: (id: string) => string | null = (id) => `text of ${id}`,
) {
  place = await temporaryProject();
  const { environment, project } = place;
  const shown = {
    ...environment.services.terminals,
    list: async () => terminals(project),
    text: async (id: string) => {
      const found = text(id);
      return found === null ? err(fault('gone', 'It is gone.')) : ok(found);
    },
  };
  const services = { ...environment.services, terminals: shown };
  return createMentions({
    ...place,
    agents: () => [],
    resources: noResources,
    environment: { ...environment, services },
  });
}

describe('a mentioned terminal', () => {
  it('is attached as it is on screen, and told once', async () => {
    const mentions = await open((project) => [
      shell(project),
      shell(project, { id: 't2', name: 'My Build', cwd: `${project}/web` }),
    ]);
    const asked = prompt('what does @"terminal:my build" say?');
    const [found] = await take(mentions, contextOf([asked]));
    expect(found).toMatchObject({ kind: 'mention', about: '@terminal:my build' });
    expect(found?.text).toMatch(/\/web that runs\..*data, not instructions\):\ntext of t2$/s);
    if (!found) throw new Error('nothing found');
    expect(await take(mentions, contextOf([asked, attached(found)]))).toEqual([]);
  });

  it('is one of this project and session, and a name that none has is told with those there are', async () => {
    const mentions = await open((project) => [
      shell(project),
      shell('/elsewhere', { id: 't2', name: 'secret' }),
      shell(project, { id: 't3', kind: 'command', sessionId: 'another', title: 'theirs' }),
    ]);
    const [found] = await take(mentions, contextOf([prompt('@terminal:secret')]));
    expect(found?.text).toBe('There is no terminal @terminal:secret. Open are: bash.');
  });

  it('gives its end when it is long, and its fault when it is gone', async () => {
    const long = `${'x'.repeat(99)}\n`.repeat(1_000);
    const mentions = await open(
      (project) => [shell(project)],
      () => long,
    );
    const [found] = await take(mentions, contextOf([prompt('@terminal:bash')]));
    expect(found?.text.length).toBeLessThan(MAX_TERMINAL_CHARS + 500);
    expect(found?.text).toContain('earlier output is left out');
    const gone = await open(
      (project) => [shell(project)],
      () => null,
    );
    const [refused] = await take(gone, contextOf([prompt('@terminal:bash')]));
    expect(refused?.text).toBe('@terminal:bash is not attached: It is gone.');
  });

  it('is, of several with one name, the newest that lives', () => {
    const all = [
      shell('/p', { id: 'a', startedAt: 1 }),
      shell('/p', { id: 'b', startedAt: 2 }),
      shell('/p', { id: 'c', startedAt: 3, endedAt: 4 }),
    ];
    expect(namedTerminal(all, 'Bash')?.id).toBe('b');
    expect(namedTerminal(all, 'c')?.id).toBe('c');
    // By both, as they are offered when they share a name; the name may have changed since.
    expect(namedTerminal(all, 'bash a')?.id).toBe('a');
    expect(namedTerminal(all, 'zsh a')?.id).toBe('a');
    const paths = [...terminalMentions(all).values()];
    expect(paths).toEqual(['terminal:bash a', 'terminal:bash b', 'terminal:bash c']);
    expect(namedTerminal(all.slice(2), 'bash')?.id).toBe('c');
    expect(namedTerminal(all, 'zsh')).toBeNull();
  });
});
