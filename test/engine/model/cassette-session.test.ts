import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TapeMode, withCassette } from '../../../src/main/engine/model/cassette';
import { projectSlug } from '../../../src/main/engine/sessions/paths';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import { createNodeFiles } from '../../../src/main/node/files';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import { memoryClock } from '../../support/memory-clock';
import type { Script } from '../../support/scripted-api';
import { error, reply, thinking, toolUse, truncated } from '../../support/scripted-api-replies';
import { openTestSession } from '../../support/session';

const KEY = 'sk-ant-test-key-000000';
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lathe-tapes-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Recorded {
  /** Every event as it is written, the project's folder named the same. */
  readonly events: string;
  readonly list: readonly AgentEvent[];
  /** How many requests reached the server. */
  readonly asked: number;
}

/** Two prompts in a session of its own folder; the clock and the ids are the same in each. */
async function run(mode: TapeMode, script: Script): Promise<Recorded> {
  let project = '';
  let latheHome = '';
  const session = await openTestSession(script, {
    tools: [createReadTool(), createEditTool(), createWriteTool()],
    client: {
      tape: (endpoint) =>
        withCassette(endpoint, {
          mode,
          clock: memoryClock(),
          folder,
          files: createNodeFiles(),
          secrets: [KEY],
          get places() {
            return [
              { name: '{{project}}', value: project },
              { name: '{{lathe-home}}', value: latheHome },
              { name: 'projects/{{project-slug}}', value: `projects/${projectSlug(project)}` },
            ];
          },
        }),
    },
  });
  ({ project, latheHome } = session);
  try {
    await writeFile(join(project, 'a.txt'), `alpha ${KEY}\n`);
    const { engine } = session.session.main;
    const list: AgentEvent[] = [];
    const follow = async (events: AsyncIterable<Stamped>) => {
      for await (const { event } of events) {
        list.push(event);
        if (event.type !== 'retry_waiting') continue;
        while (!engine.retryNow()) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await follow(engine.submit(`begin in ${project} with ${KEY}`));
    await follow(engine.compact('the files'));
    await follow(engine.submit('go on'));
    return {
      list,
      events: list
        .map((e) => JSON.stringify(e))
        .join('\n')
        .replaceAll(project, '{{project}}'),
      asked: session.api.requests.length,
    };
  } finally {
    await session.close();
  }
}

/** Thinking, an overload, calls that read and change files, a broken stream, a summary, a refusal. */
const SCRIPT: Script = (_, number) => {
  switch (number) {
    case 0:
      return error(529);
    case 1:
      return reply([
        thinking('Where?'),
        'Reading.',
        toolUse('Read', { file_path: 'a.txt' }, 'toolu_1'),
      ]);
    case 2:
      return truncated(reply('an answer that breaks off'), 4);
    case 3:
      return reply([
        toolUse('Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }, 'toolu_2'),
        toolUse('Write', { file_path: 7 }, 'toolu_3'),
      ]);
    case 4:
      return reply([toolUse('Write', { file_path: 'b.txt', content: 'new' }, 'toolu_4')]);
    case 5:
      return reply('Done with the first.');
    case 6:
      return reply('<summary>They read a file.</summary>');
    case 7:
      return reply([thinking('More?'), 'And the second.']);
    default:
      return error(400, 'asked too often');
  }
};

describe('a recorded session', () => {
  it('replays offline to the byte-identical event list', async () => {
    const recorded = await run('record', SCRIPT);
    const types = new Set(recorded.list.map((e) => e.type));
    for (const type of ['retry_waiting', 'tombstone', 'block_delta', 'call_settled'] as const)
      expect(types).toContain(type);
    expect(recorded.asked).toBe(8);
    const played = await run('playback', []);
    expect(played.asked).toBe(0);
    expect(played.events).toBe(recorded.events);
  });

  it('holds no key, wherever it stood', async () => {
    await run('record', SCRIPT);
    const names = await readdir(folder);
    expect(names.length).toBe(8);
    for (const name of names)
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(KEY.slice(0, 12));
  });
});
