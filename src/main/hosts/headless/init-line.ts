import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';

/** The first line of stream-json: what this session works with. */
export const initLine = (session: HeadlessSession, version: string, uuid: string): Json => ({
  type: 'system',
  subtype: 'init',
  cwd: session.cwd,
  session_id: session.sessionId,
  tools: session.tools,
  mcp_servers: session.toolServers(),
  model: session.model,
  permissionMode: session.mode,
  apiKeySource: session.apiKeySource,
  slash_commands: session.commands.map(({ name }) => name),
  agents: session.agents.map(({ name }) => name),
  lathe_version: version,
  uuid,
});
