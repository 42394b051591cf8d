import { PermissionMode } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import type { HeadlessSession } from '../../app/headless-session';
import type { Json } from './api-shape';
import type { ControlRequest } from './json-input';

/** Does what a control request asks for, and returns the line that answers it. */
export function answerControl({ id, request }: ControlRequest, session: HeadlessSession): Json {
  const done = carryOut(request, session);
  return {
    type: 'control_response',
    response: done.ok
      ? { subtype: 'success', request_id: id, response: done.value }
      : { subtype: 'error', request_id: id, error: done.error.message },
  };
}

function carryOut(request: ControlRequest['request'], session: HeadlessSession): Result<Json> {
  switch (request.subtype) {
    case 'initialize':
      return initialized(request, session);
    case 'interrupt':
      session.interrupt('stopped');
      return ok({});
    case 'set_model': {
      const model = request['model'] ?? session.model;
      if (typeof model !== 'string') return wrong('model', 'the name of a model');
      return session.configure({ model });
    }
    case 'set_permission_mode': {
      const named = request['mode'] === 'manual' ? 'default' : request['mode'];
      const mode = PermissionMode.safeParse(named);
      if (!mode.success) return wrong('mode', `one of ${PermissionMode.options.join(', ')}`);
      return session.configure({ mode: mode.data });
    }
    default:
      return err(
        fault('unknown_request', `Lathe does not know the control request "${request.subtype}".`),
      );
  }
}

const wrong = (field: string, expected: string): Result<never> =>
  err(fault('bad_request', `"${field}" must be ${expected}.`));

/** The options of a driver that Lathe takes from elsewhere, each with the way to set it. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  hooks: 'put hooks into settings',
  sdkMcpServers: 'MCP servers are not supported',
  agents: 'agents are not supported',
  systemPrompt: 'use --system-prompt',
  appendSystemPrompt: 'use --append-system-prompt',
  jsonSchema: 'use --json-schema',
};

function initialized(request: ControlRequest['request'], session: HeadlessSession): Result<Json> {
  const [field] = Object.keys(NOT_TAKEN).filter((name) => !isEmpty(request[name]));
  if (field !== undefined)
    return err(
      fault('not_taken', `"${field}" is not taken from a control request: ${NOT_TAKEN[field]}.`),
    );
  return ok({
    commands: session.commands,
    agents: session.agents,
    models: [{ value: session.model, displayName: session.model, description: '' }],
  });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
