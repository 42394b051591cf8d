import type { AgentDefinition } from '../agents/definitions';
import type { McpServers } from '../mcp/mcp-servers';
import type { McpServerSetting } from '../settings/mcp-servers';
import { loadSkill, mentionable } from '../tools/builtin/skill/skill';
import type { Agent } from './agent';
import type { SessionScope } from './session-scope';

/** The longest that an agent waits for its own servers before its first request; it goes on without them. Milliseconds. */
const OWN_SERVERS_MS = 5_000;

/**
 * Creates the servers that an agent's definition brings; undefined for one that brings none which may start. In a folder that
 * nobody trusts only those start that the program which drives Lathe answers for.
 */
export function ownServersOf(
  session: SessionScope,
  { name, source, ownServers = [] }: AgentDefinition,
): McpServers | undefined {
  const driven = session.host.program !== undefined && source === 'commandLine';
  const { rootTrusted, trusted } = session.settings();
  const mayStart = ({ inside }: McpServerSetting) =>
    inside === true || driven || (rootTrusted ?? trusted);
  const wanted = ownServers.filter(mayStart);
  if (wanted.length < ownServers.length) {
    const left = ownServers.filter((one) => !mayStart(one)).map((one) => one.name);
    const text = `Tool servers of the agent ${name} are not started (${left.join(', ')}): nobody trusts this folder.`;
    session.log.append({ type: 'notice', level: 'warning', code: 'tool_server', text });
  }
  if (wanted.length === 0) return undefined;
  const servers = session.ownServers(wanted);
  servers.sync();
  return servers;
}

/** Waits until an agent's own servers are connected or failed, for a while. */
export async function serversReady(
  { services }: Pick<SessionScope, 'services'>,
  servers: McpServers | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (servers === undefined) return;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const late = services.clock.sleep(OWN_SERVERS_MS, either);
  await Promise.race([servers.ready(), late]);
  over.abort();
}

/** Puts the text of skills before an agent that begins. Their commands do not run: nobody was asked about them. */
export async function preloadSkills(
  { definitions, log, project, services }: SessionScope,
  names: readonly string[],
  agent: Pick<Agent, 'environment'>,
  tell: (text: string) => void,
): Promise<void> {
  const place = { sessionId: log.sessionId, project };
  for (const name of names) {
    const loaded = await loadSkill(definitions.skills, { skill: name }, place, services.files);
    if (!loaded.ok) {
      tell(`An agent works without the skill ${name}. ${loaded.error}`);
      continue;
    }
    const { model: _model, effort: _effort, ...skill } = loaded.value.skill;
    const bare = { ...skill, allowedTools: [], disallowedTools: [], hooks: [], rules: [] };
    const text = loaded.value.parts
      .map((part) => (part.kind === 'text' ? part.text : `\`${part.command}\` (it was not run)`))
      .join('');
    agent.environment.agent.skills.use(bare, text, mentionable(loaded.value.parts));
  }
}
