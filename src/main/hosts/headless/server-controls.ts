import { z } from 'zod';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import { isToolDenied, readRules } from '../../engine/permissions/rules';
import { plainName } from '../../engine/permissions/server-names';
import type { Json } from './api-shape';
import type { ControlRequest } from './json-input';

/** A request about tool servers; null for one that is something else. */
export async function carryOutServers(
  request: ControlRequest['request'],
  session: HeadlessSession,
  withdrawn: AbortSignal,
): Promise<Result<Json> | null> {
  const { subtype, serverName: name } = request;
  if (subtype === 'mcp_call') return callTool(request, session, withdrawn);
  if (!OF_ONE_SERVER.has(subtype)) return null;
  if (typeof name !== 'string') return wrong('serverName', 'the name of a server');
  const none = err(fault('no_server', `There is no tool server "${name}".`));
  switch (subtype) {
    case 'mcp_reconnect':
      return session.reconnectServer(name) ? ok({}) : none;
    case 'mcp_toggle': {
      const { enabled } = request;
      if (typeof enabled !== 'boolean') return wrong('enabled', 'true or false');
      return session.enableServer(name, enabled) ? ok({}) : none;
    }
    case 'mcp_read_resource': {
      const { uri } = request;
      if (typeof uri !== 'string') return wrong('uri', 'the address of a resource');
      const read = await session.readResource(name, uri, withdrawn);
      return read.ok
        ? ok({ contents: read.value.contents })
        : err(fault('no_resource', read.error));
    }
    case 'mcp_authenticate': {
      if (request['redirectUri'] !== undefined)
        return err(fault('unsupported', 'The browser comes back to an address of Lathe alone.'));
      const page = await session.signIn(name, withdrawn);
      if (!page.ok) return err(fault('not_signed_in', page.error));
      return page.value === null
        ? ok({ requiresUserAction: false })
        : ok({ authUrl: page.value, requiresUserAction: true });
    }
    case 'mcp_clear_auth': {
      const done = await session.signOut(name);
      return done.ok ? ok({}) : err(fault('not_signed_out', done.error));
    }
    default: {
      const { mode } = request;
      if (mode !== 'default' && mode !== 'auto' && mode !== null)
        return wrong('mode', 'default, auto or null');
      const known = session.setServerMode(name, mode);
      return ok(known ? {} : { warning: `There is no tool server "${name}" now.` });
    }
  }
}

const OF_ONE_SERVER: ReadonlySet<string> = new Set([
  'mcp_authenticate',
  'mcp_clear_auth',
  'mcp_read_resource',
  'mcp_reconnect',
  'mcp_toggle',
  'set_mcp_permission_mode_override',
]);

/** The parts of a call of a program's own that Lathe has not. A call without them would be another one. */
const NOT_OF_CALLS = [
  'check_permissions',
  'expires_at',
  'input_files',
  'output_files',
  'timeout_ms',
] as const;

const Arguments = z.record(z.string(), z.unknown()).optional();

/** Calls a tool of a tool server for the program, which is not asked about it. What a rule denies stays denied. */
async function callTool(
  request: ControlRequest['request'],
  session: HeadlessSession,
  withdrawn: AbortSignal,
): Promise<Result<Json>> {
  const { tool } = request;
  if (typeof tool !== 'string' || !tool.startsWith('mcp__'))
    return wrong('tool', 'the whole name of a tool of a tool server');
  const given = Arguments.safeParse(request['arguments']);
  if (!given.success) return wrong('arguments', 'an object');
  const foreign = NOT_OF_CALLS.find(
    (name) => ![undefined, null, false].includes(request[name] as null),
  );
  if (foreign !== undefined)
    return err(fault('unsupported', `Lathe calls no tool for a program with "${foreign}".`));
  const inside = session
    .toolServers()
    .find((one) => one.source === 'sdk' && tool.startsWith(`mcp__${plainName(one.name)}__`));
  if (inside !== undefined)
    return err(fault('inside', `The program can call the tools of "${inside.name}" itself.`));
  if (isToolDenied(tool, readRules(session.permissionRules().rules)))
    return err(fault('denied', `A rule denies ${tool}.`));
  const answer = await session.callTool(tool, given.data ?? {}, withdrawn);
  return answer.ok ? ok({ content: answer.value }) : err(fault('tool_error', answer.error));
}

const wrong = (field: string, expected: string): Result<never> =>
  err(fault('bad_request', `"${field}" must be ${expected}.`));
