import { err, type Fault, fault, ok, type Result } from '../../../shared/result';
import { classifyError, type ErrorContext, refusedError } from './errors';
import type { ModelError } from './model-client';
import { requireUnpacked } from './network-error';
import { type AnthropicOptions, endpointOf, loadAnthropic } from './providers/anthropic';
import { refusedIn } from './refused';
import { textOf } from './server-sent-events';
import { isObject } from './stream-blocks';

/** The longest wait for an answer to the check. Milliseconds. */
export const CHECK_TIMEOUT_MS = 10_000;

/** An endpoint, and the cheapest model to ask there. */
export type CheckOptions = Omit<AnthropicOptions, 'price'> & { readonly model: string };

/**
 * Checks that an endpoint takes the key and speaks the Messages API, by one cheap request: its list of models, or a
 * message of one token where there is no list. The fault's code is `unauthorized`, `no_credit`, `not_found`,
 * `not_an_api`, `unreachable`, `no_answer`, `aborted` or `refused`.
 */
export async function checkConnection(
  options: CheckOptions,
  signal: AbortSignal,
): Promise<Result<null>> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    const late = options.clock
      .sleep(CHECK_TIMEOUT_MS, stop.signal)
      .then(() => err(signal.aborted ? STOPPED : noAnswer(hostOf(options))));
    return await Promise.race([ask(options, stop.signal), late]);
  } finally {
    signal.removeEventListener('abort', abort);
    stop.abort();
  }
}

async function ask(options: CheckOptions, signal: AbortSignal): Promise<Result<null>> {
  const client = await loadAnthropic(endpointOf(options));
  const send = async (request: () => Promise<Response>, field: string) => {
    try {
      const response = await request();
      requireUnpacked(response);
      return answerOf(await textOf(response.body), field, contextOf(options));
    } catch (problem) {
      return err(classifyError(problem, contextOf(options)));
    }
  };
  const query = { limit: 1 };
  const listed = await send(() => client.get('/v1/models', { query, signal }).asResponse(), 'data');
  if (listed.ok ? listed.value === 'as_asked' : !mayLackList(listed.error)) return checked(listed);
  const { model } = options;
  const body = { model, max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };
  const answered = await send(
    () => client.post('/v1/messages', { body, signal }).asResponse(),
    'content',
  );
  if (answered.ok && answered.value === 'other') return err(notAnApi(hostOf(options)));
  // The model is our guess: who does not know it has taken the key.
  if (!answered.ok && answered.error.message.includes(`no model "${model}"`)) return ok(null);
  const first = listed.ok || listed.error.kind !== 'permission' ? answered : listed;
  return checked(!answered.ok && answered.error.kind === 'not_found' ? first : answered);
}

/** An answer of an endpoint that is no error: what was asked for, or something else. */
type Answer = 'as_asked' | 'other';

/** Reads an answer; `field` is the list that the one asked for has. Some servers send errors with status 200. */
function answerOf(text: string, field: string, context: ErrorContext): Result<Answer, ModelError> {
  const answer = parsed(text);
  if (!isObject(answer)) return ok('other');
  if (Array.isArray(answer[field])) return ok('as_asked');
  const refused = refusedIn(answer);
  return refused === null ? ok('other') : err(refusedError(refused, context));
}

/** Tells that an endpoint may well speak the Messages API without giving this key a list of models. */
const mayLackList = ({ kind, status }: ModelError): boolean =>
  ['not_found', 'permission', 'invalid_request'].includes(kind) || status === 501;

/** Turns an answer into the result of the check. A limited rate and an overload say that the key was taken. */
function checked(answered: Result<Answer, ModelError>): Result<null> {
  if (answered.ok || ['rate_limit', 'overloaded'].includes(answered.error.kind)) return ok(null);
  const { message, fix = 'Check the endpoint and try again.' } = answered.error;
  return err(fault(codeOf(answered.error), message, fix));
}

function codeOf({ kind, unreachable }: ModelError): string {
  switch (kind) {
    case 'auth':
    case 'permission':
      return 'unauthorized';
    case 'billing':
      return 'no_credit';
    case 'not_found':
      return 'not_found';
    case 'network':
      return unreachable ? 'unreachable' : 'no_answer';
    default:
      return 'refused';
  }
}

const FIX_KEY = 'Check that the whole key was copied, and that it belongs to this endpoint.';

const STOPPED: Fault = fault('aborted', 'The check was stopped.');

const noAnswer = (host: string): Fault =>
  fault(
    'no_answer',
    `${host} took the connection but gave no answer within ${CHECK_TIMEOUT_MS / 1000} seconds.`,
    'Check the endpoint, and any proxy in between.',
  );

const notAnApi = (host: string): Fault =>
  fault(
    'not_an_api',
    `${host} answers, but not as a Messages API does.`,
    'Check the endpoint: it is the address before "/v1/messages".',
  );

function contextOf(options: CheckOptions): ErrorContext {
  const { apiKey = '', authToken = '', model, clock } = options;
  const secrets = [apiKey, authToken];
  return { host: hostOf(options), model, secrets, now: clock.date(), fixKey: FIX_KEY };
}

function hostOf(options: CheckOptions): string {
  const { baseUrl } = endpointOf(options);
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
