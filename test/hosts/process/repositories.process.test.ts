import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { startScriptedApi } from '../../support/scripted-api';
import { reply } from '../../support/scripted-api-replies';
import { lathe, makeWorkspace } from './lathe';
import { AGENTS } from './repositories/agents';
import { MEMORY } from './repositories/memory';
import { HOOK_SETTINGS, PLUGINS } from './repositories/plugins-and-hooks';
import { inParts, putFiles, type Repository } from './repositories/repository';
import { SERVER_FILES } from './repositories/servers';
import { COMMANDS, SKILLS, TYPED_COMMANDS } from './repositories/skills';

/** One repository that has what two have. */
const together = (one: Repository, other: Repository): Repository => ({
  ...one,
  name: `${one.name}, ${other.name}`,
  files: { ...one.files, ...other.files },
  rows: [...one.rows, ...other.rows],
});

const [SERVERS, ...BROKEN_SERVERS] = SERVER_FILES;
const [MEMORY_FILES, ...BROKEN_MEMORY] = MEMORY;
const AGENT_PARTS = inParts(AGENTS);
const SKILL_PARTS = inParts(together(SKILLS, COMMANDS));
/** Repositories with room for one more problem: each is tried with one of the files of servers that are broken as a whole. */
const SHORT = [
  ...[...TYPED_COMMANDS, ...BROKEN_MEMORY, HOOK_SETTINGS, PLUGINS],
  ...[AGENT_PARTS, SKILL_PARTS].flatMap((parts) => parts.slice(-1)),
];
const REPOSITORIES: readonly Repository[] = [
  ...[...AGENT_PARTS.slice(0, -1), ...SKILL_PARTS.slice(0, -1)],
  ...[MEMORY_FILES, SERVERS].flatMap((one) => one ?? []),
  ...SHORT.map((one, at) => together(one, BROKEN_SERVERS[at] ?? { name: '', rows: [] })),
];

test('each file of servers is tried', () => expect(SHORT).toHaveLength(BROKEN_SERVERS.length));

/** What a run in a repository sent and said on standard error. */
interface Outcome {
  readonly sent: string;
  readonly told: string;
  /** Something in the repository ran. */
  readonly ran: boolean;
}

async function outcomeOf({
  prompt = 'go',
  words = [],
  files = {},
  calls = [],
  rows,
}: Repository): Promise<Outcome> {
  const workspace = await makeWorkspace();
  const api = await startScriptedApi(({ body }) =>
    reply(calls.length > 0 && body.messages.length === 1 ? calls : 'fine'),
  );
  try {
    for (const each of [files, ...rows.map((row) => row.files ?? {})])
      await putFiles(workspace, each);
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-test-0123456789' };
    const run = lathe(workspace, ['-p', prompt, '--trust', ...words], env);
    run.child.stdin.end();
    const { code, stderr } = await run.finished;
    expect({ code, refusals: api.refusals }).toEqual({ code: 0, refusals: [] });
    const [home, project] = [await realpath(workspace.home), await realpath(workspace.project)];
    return {
      sent: JSON.stringify(api.requests.map(({ body }) => body)),
      told: stderr.replaceAll(project, '.').replaceAll(home, '~'),
      ran: existsSync(join(project, 'PWNED')),
    };
  } finally {
    await api.close();
    await workspace.remove();
  }
}

describe.each(REPOSITORIES)('of $name', (repository) => {
  let outcome: Outcome;
  beforeAll(async () => {
    outcome = await outcomeOf(repository);
  });

  test.each(repository.rows)('$of', ({ files = {}, told, sent = [], unsent = [] }) => {
    for (const text of sent) expect(outcome.sent).toContain(text);
    for (const text of unsent) expect(outcome.sent).not.toContain(text);
    for (const text of told ?? []) expect(outcome.told).toContain(text);
    if (told === undefined)
      for (const file of Object.keys(files)) expect(outcome.told).not.toContain(file);
  });

  test('nothing in it runs by itself, and nothing else is told', () => {
    expect(outcome.ran).toBe(false);
    const lines = outcome.told.split('\n').filter((line) => line !== '');
    expect(lines).toEqual([...new Set(lines)]);
    const expected = repository.rows.flatMap(({ told = [] }) => told);
    expect(lines.filter((line) => !expected.some((text) => line.includes(text)))).toEqual([]);
  });
});
