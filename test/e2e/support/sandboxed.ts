import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';

/** Where the scripted command wants to go. The name exists nowhere. */
export const HOST = 'registry.harbour.invalid';

/** A fetch by way of the proxy that the environment names, as package managers do it. */
const FETCH = [
  'const p = new URL(process.env.HTTP_PROXY);',
  'const key = btoa(decodeURIComponent(p.username) + ":" + decodeURIComponent(p.password));',
  'require("http").get({ host: p.hostname, port: p.port, path: "http://" + process.argv[2] + "/",',
  '  headers: { "proxy-authorization": "Basic " + key } }, (r) => {',
  '  console.log(r.statusCode === 403 ? "refused" : "let through"); process.exit(r.statusCode === 403 ? 1 : 0); });',
].join('\n');

/** A folder and settings of a user who wants the sandbox. */
export async function prepareSandboxed(home: string, folder: string): Promise<void> {
  await mkdir(join(home, '.claude'), { recursive: true });
  await mkdir(join(folder, 'tools'), { recursive: true });
  const sandbox = {
    enabled: true,
    excludedCommands: ['docker *'],
    filesystem: { allowWrite: ['~/.cache/harbour'] },
    network: { allowedDomains: ['*.lighthouse.example'] },
  };
  await writeFile(join(home, '.claude/settings.json'), JSON.stringify({ sandbox }));
  await writeFile(join(folder, 'tools/fetch.cjs'), FETCH);
}

/** Writes inside and outside, then reaches for a host twice. */
export const SANDBOXED_SCRIPT: readonly Reply[] = [
  reply([
    toolUse('Bash', {
      command: 'echo "lights on" > log.txt; echo "lights on" > ../notes.txt; cat log.txt',
      description: 'Write the log and the shared notes',
    }),
  ]),
  reply(
    'The log is written. The shared notes lie outside the project, so the sandbox kept them as they were.',
  ),
  reply([
    toolUse('Bash', {
      command: `node tools/fetch.cjs ${HOST}`,
      description: 'Fetch the list of ships',
    }),
  ]),
  reply('The list is here.'),
];
