import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';
import { promptTokens } from './prompt-cache.mjs';
import { greeting } from './scenes.mjs';
import { run } from './subject.mjs';
import { median } from './table.mjs';

/** Starts of each kind, in turn so that both meet the same machine. */
const RUNS = 9;
const SKILLS = 20;
const AGENTS = 10;
const SERVERS = 5;
const TOOLS = 20;

const times = (count, make) => Array.from({ length: count }, (_, i) => make(i));

/** Makes a project that configures that much, with as many servers. */
function configuredProject(servers) {
  const folder = mkdtempSync(join(tmpdir(), 'lathe-bench-configured-'));
  const put = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  times(SKILLS, (i) =>
    put(
      `.claude/skills/skill-${i}/SKILL.md`,
      `---\nname: skill-${i}\ndescription: Says how work of the kind ${i} is done here, and which checks come last.\n---\n${'Do it with care. '.repeat(200)}`,
    ),
  );
  times(AGENTS, (i) =>
    put(
      `.claude/agents/agent-${i}.md`,
      `---\nname: agent-${i}\ndescription: Looks after part ${i} of the harbour and answers questions about it.\n---\n${'You know the harbour. '.repeat(100)}`,
    ),
  );
  const server = {
    command: process.execPath,
    args: [join(import.meta.dirname, 'tool-server.mjs'), String(TOOLS)],
  };
  put(
    '.mcp.json',
    JSON.stringify({
      mcpServers: Object.fromEntries(times(servers, (i) => [`server${i}`, server])),
    }),
  );
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Measures the start of a session with many skills, agents and tool servers, beside one without any. */
export async function measureConfigured(entry, tell) {
  const words = [entry, '-p', 'go', '--permission-mode', 'bypassPermissions', '--trust'];
  const subject = { name: 'lathe', words };
  const serverless = configuredProject(0);
  const all = configuredProject(SERVERS);
  const runs = { plain: [], serverless: [], configured: [] };
  try {
    await run(subject, greeting);
    for (let i = 0; i < RUNS; i += 1) {
      runs.plain.push(await run(subject, greeting));
      runs.serverless.push(await run(subject, greeting, { project: serverless.folder }));
      runs.configured.push(await run(subject, greeting, { project: all.folder }));
    }
  } finally {
    serverless.remove();
    all.remove();
  }
  const cold = (kind) => median(runs[kind].map(({ coldMs }) => coldMs));
  const ratio = cold('configured') / cold('plain');
  const waited = cold('configured') / cold('serverless');
  const first = Math.max(
    ...runs.configured.map(({ requests }) => promptTokens(requests[0].body.toString())),
  );
  const what = `${SKILLS} skills, ${AGENTS} agents, ${SERVERS} servers (${SERVERS * TOOLS} tools)`;
  tell(what);
  const { module } = await runnerImport(inRoot('test', 'bench', 'finder.ts'));
  const finder = await module.measureFinder(tell);
  return [
    {
      name: `cold start with ${what}; floor: without any`,
      unit: 'ms',
      lathe: cold('configured'),
      floor: cold('plain'),
      ratio,
      budget: 1.25,
      ok: ratio <= 1.25,
    },
    {
      name: 'the same; floor: without the servers',
      unit: 'ms',
      lathe: cold('configured'),
      floor: cold('serverless'),
      ratio: waited,
      budget: 1.1,
      ok: waited <= 1.1,
    },
    {
      name: 'first prompt with them',
      unit: 'tokens',
      lathe: first,
      floor: null,
      ratio: null,
      budget: 6_000,
      ok: first <= 6_000,
    },
    ...finder,
  ];
}
