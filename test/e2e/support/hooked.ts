import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';

/** While this file is in the home folder, the hook at the end of a query does not end. */
export const HOLD = 'hold';

const REFUSAL =
  'echo "Migrations are written by the release job:" >&2; echo "  run npm run migration:new <name>" >&2; echo "  and commit what it makes." >&2; exit 2';

/** Hooks of a user and of a folder, one of them badly written. */
export async function prepareHooked(home: string, folder: string): Promise<void> {
  await mkdir(join(home, '.claude'), { recursive: true });
  await mkdir(join(folder, '.claude'), { recursive: true });
  await writeFile(join(home, HOLD), '');
  const command = (words: string, more = {}) => ({ type: 'command', command: words, ...more });
  await writeSettings(join(home, '.claude/settings.json'), {
    hooks: {
      Stop: [{ hooks: [command(`while [ -e ~/${HOLD} ]; do sleep 0.05; done`)] }],
      Notification: [
        { matcher: 'permission_prompt', hooks: [command('true', { async: true, timeout: 5 })] },
      ],
    },
  });
  await writeSettings(join(folder, '.claude/settings.json'), {
    hooks: {
      PreToolUse: [
        { matcher: 'Edit|Write', hooks: [command(REFUSAL, { if: 'Edit(migrations/**)' })] },
        { matcher: 'Bash', hooks: [{ type: 'script', command: 'check.sh' }] },
      ],
      PostToolUse: [{ matcher: 'Edit|Write', hooks: [command('npx prettier --write .')] }],
      SubagentStop: [{ hooks: [{ type: 'prompt', prompt: 'Is everything tested? $ARGUMENTS' }] }],
      TeammateIdle: [{ hooks: [{ type: 'mcp_tool', server: 'harbour', tool: 'next_ticket' }] }],
      TaskCompleted: [
        {
          hooks: [{ type: 'agent', prompt: 'Run the tests of the step. $ARGUMENTS', timeout: 300 }],
        },
      ],
    },
  });
}

const writeSettings = (file: string, settings: object) =>
  writeFile(file, `${JSON.stringify(settings, null, 2)}\n`);

/** Tries to write what a hook guards, and gives in. */
export const hookedScript = (folder: string): readonly Reply[] => [
  reply([
    toolUse('Write', {
      file_path: join(folder, 'migrations/0042_berths.sql'),
      content: 'ALTER TABLE berths ADD COLUMN depth INTEGER;\n',
    }),
  ]),
  reply(
    'Migrations come from the release job here, so I left the file alone. Run `npm run migration:new berths` and I fill it in.',
  ),
];
