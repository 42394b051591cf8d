import type { ModelError, ModelErrorKind } from './model-client';
import { networkError, PROXY_PASSWORD, quote } from './network-error';
import { NotAnAnswer, RefusedInside } from './read-answer';
import { type Refused, refusedIn, wordsIn } from './refused';
import { AnswerTooLarge } from './server-sent-events';

/** Facts for the message of an error. `secrets` never appear in it. */
export interface ErrorContext {
  /** The endpoint's name, e.g. `api.anthropic.com`. */
  readonly host: string;
  readonly model: string;
  readonly secrets: readonly string[];
  /** Advice for a refused key. Default: that of the Messages API. */
  readonly fixKey?: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The failure of a request that the user, or the app, stopped. */
export const ABORTED: ModelError = {
  kind: 'aborted',
  message: 'The request was stopped.',
  retryable: false,
};

/** The failure of an answer that broke off. */
export const TRUNCATED: ModelError = {
  kind: 'truncated',
  message: 'The answer broke off before it was complete.',
  retryable: true,
};

/** The failure of an answer that nothing could keep. Asked for again, it would be paid again. */
export const TOO_DEEP: ModelError = {
  kind: 'server',
  message: 'A part of the answer is nested deeper than anything a model writes. It was cut.',
  fix: 'Check the base URL, and any proxy in between.',
  retryable: false,
};

/** Turns whatever a request threw into a {@link ModelError}. Reads the SDK's errors by their shape, without loading the SDK. */
export function classifyError(problem: unknown, context: ErrorContext): ModelError {
  if (problem instanceof NotAnAnswer) return notAnAnswer(problem, context);
  if (problem instanceof AnswerTooLarge) return tooLarge(context.host);
  if (problem instanceof RefusedInside) return refusedError(problem.refused, context);
  const seen = asApiProblem(problem);
  const words = quote(seen.apiMessage ?? '', context.secrets);
  if (isSpendLimit(seen, words)) return withFacts(spendLimit(words, context), seen, context);
  if (seen.status !== undefined && isRedirect(seen.status))
    return withFacts(redirected(seen.status, seen.headers, context), seen, context);
  if (seen.status !== undefined)
    return withFacts(byStatus(seen.status, words, context), seen, context);
  if (seen.type !== undefined)
    return withFacts(
      refusedError({ errorType: seen.type, message: words }, context),
      seen,
      context,
    );
  return networkError(problem, context.host, context.secrets, context.fixKey);
}

/** The type of an event that could not be read; never comes from a server. */
export const GARBLED = 'garbled';

/** Classifies an error inside a stream, or inside an answer with status 200. */
export function refusedError(
  { errorType, status = 500, message }: Refused,
  context: ErrorContext,
): ModelError {
  if (errorType === GARBLED)
    return {
      ...TRUNCATED,
      message: `The answer was garbled on its way: ${message}.`,
      garbled: true,
    };
  const known = Object.hasOwn(STATUS_OF_TYPE, errorType) ? STATUS_OF_TYPE[errorType] : undefined;
  return byStatus(known ?? status, quote(message, context.secrets), context);
}

const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 408,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
  // Amazon's names, as they come in a Bedrock stream.
  throttlingException: 429,
  serviceUnavailableException: 503,
  modelTimeoutException: 408,
  modelStreamErrorException: 500,
  internalServerException: 500,
  validationException: 400,
};

/** The advice for a conversation that no longer fits, once nothing else helped. */
const FIX_TOO_LONG = 'The conversation is kept: send less at once, or start a new session.';

const FIX_VERSION =
  'It may speak another version of the API: under "endpoints" in settings, give its address an apiVersion, such as "2023-06-01", or betas.';

const FIX_KEY =
  'Check the key: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment, apiKeyHelper, or the connection in settings.';

function byStatus(status: number, words: string, context: ErrorContext): ModelError {
  const { host, model, fixKey = FIX_KEY } = context;
  const said = ` ${sentence(words)}`.trimEnd();
  const make = (kind: ModelErrorKind, message: string, fix?: string, retryable = false) => ({
    kind,
    status,
    message: message.trim(),
    retryable,
    ...(fix === undefined ? {} : { fix }),
  });
  switch (status) {
    case 304:
      return make(
        'not_found',
        `${host} says that nothing has changed (304), as a cache does.`,
        'Check the base URL, and any proxy in between.',
      );
    case 401:
      return make('auth', `${host} refused the key (401).`, fixKey);
    case 402:
      return billing(make, host, said);
    case 403:
      return make('permission', `${host} does not allow this (403).${said}`, fixKey);
    case 404:
      return words.toLowerCase().includes('model')
        ? make('not_found', `${host} has no model "${model}" (404).`, 'Choose another model.')
        : make(
            'not_found',
            `${host} has no Messages API at this address (404).${said}`,
            'Check the base URL.',
          );
    case 407:
      return { ...PROXY_PASSWORD, status };
    case 408:
      return make('server', `${host} gave up waiting for the request (408).`, undefined, true);
    case 409:
      return make('server', `${host} reports a conflict (409).${said}`, undefined, true);
    case 413:
      return make(
        'prompt_too_long',
        `The request is too large for ${host} (413).${said}`,
        FIX_TOO_LONG,
      );
    case 429:
      return make(
        'rate_limit',
        `${host} limits the rate of requests (429).${said}`,
        undefined,
        true,
      );
    case 511:
      return make(
        'server',
        `The network lets nothing through to ${host} before you sign in to it (511).`,
        'Open a page in a browser to sign in, and send the message again.',
        true,
      );
    case 529:
      return make('overloaded', `${host} is overloaded (529).`, undefined, true);
    default:
      // A status that HTTP does not have counts as a failure, too.
      if (status >= 500 || status < 200)
        return make('server', `${host} failed (${status}).${said}`, undefined, true);
      return badRequest(make, status, words, model, host);
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400 && status !== 304;

/** Tells where a server sends requests on to. They are not followed: the key would go along. */
function redirected(
  status: number,
  headers: Headers | undefined,
  { host, secrets }: ErrorContext,
): ModelError {
  const target = targetOf(headers?.get('location') ?? '');
  const where = target === '' ? 'another address' : quote(target, secrets);
  return {
    kind: 'not_found',
    status,
    message: `${host} sends requests on to ${where} (${status}), which could be given the key.`,
    fix: 'Set the base URL to the address that answers.',
    retryable: false,
  };
}

/** The longest target of a redirect that is shown whole. UTF-16 units. */
const MAX_TARGET = 200;

/** Returns the target of a redirect without what may be secret in it; empty when it is none. */
function targetOf(location: string): string {
  // A path counts from the server itself, whose name stands before it.
  const base = 'http://same.invalid';
  const url = URL.canParse(location, base) ? new URL(location, base) : null;
  if (location.trim() === '' || url === null) return '';
  const origin = url.origin === base ? '' : `${url.protocol}//${url.host}`;
  const target = `${origin}${url.pathname}`;
  return target.length > MAX_TARGET ? `${target.slice(0, MAX_TARGET)}…` : target;
}

type Make = (
  kind: ModelErrorKind,
  message: string,
  fix?: string,
  retryable?: boolean,
) => ModelError;

function notAnAnswer({ kind, words }: NotAnAnswer, { host, secrets }: ErrorContext): ModelError {
  const said = ` ${sentence(quote(words, secrets))}`.trimEnd();
  return {
    kind: 'not_found',
    message: `${host} has no Messages API at this address: it answered with ${kind} instead of a stream of events.${said}`,
    fix: 'Check the base URL.',
    retryable: false,
  };
}

const tooLarge = (host: string): ModelError => ({
  kind: 'server',
  message: `${host} sent an answer beyond any size that a model writes. It was cut.`,
  fix: 'Check the base URL, and any proxy in between.',
  retryable: false,
});

/** Ends a server's words as a sentence, so that ours can follow. Signs alone are no words. */
const sentence = (words: string): string => {
  const said = words.trim();
  if (!/[\p{L}\p{N}]/u.test(said)) return '';
  return /[.!?…]$/.test(said) ? said : `${said}.`;
};

/**
 * Recognises a 429 that waiting does not mend: the account's spending limit is reached. The API names it by a code and
 * sends no `retry-after`; servers without codes say it in words.
 */
function isSpendLimit({ status, code, headers }: ApiProblem, words: string): boolean {
  if (status !== 429 || headers?.has('retry-after')) return false;
  return code === undefined
    ? /spend(?:ing)? (?:limit|cap)|specified API usage limits|credit balance/i.test(words)
    : /spend_limit|billing/.test(code);
}

const spendLimit = (words: string, { host }: ErrorContext): ModelError => ({
  kind: 'billing',
  status: 429,
  message: `The spending limit at ${host} is reached (429). ${sentence(words)}`,
  fix: 'The conversation is kept: go on when the limit was raised or starts anew.',
  retryable: false,
});

const billing = (make: Make, host: string, said: string): ModelError =>
  make('billing', `${host} asks for payment.${said}`, 'Check the balance of the account.');

function badRequest(
  make: Make,
  status: number,
  words: string,
  model: string,
  host: string,
): ModelError {
  const low = words.toLowerCase();
  if (/prompt is too long|exceeds? (the )?(context|maximum)|context (limit|window)/.test(low))
    return make(
      'prompt_too_long',
      `The conversation is too long for ${model}. ${sentence(words)}`,
      FIX_TOO_LONG,
    );
  if (/credit balance|billing/.test(low)) return billing(make, host, ` ${sentence(words)}`);
  const isOfImage = /(exceed|too large|dimension|process|invalid|unsupported|\.media_type)/;
  if (/image|pdf/.test(low) && isOfImage.test(low))
    return make(
      'image',
      `An image in the conversation cannot be used. ${sentence(words)}`,
      'It is left out from here on: send a smaller one.',
    );
  const ofVersion =
    /anthropic-(version|beta)|\b(api|unsupported|invalid|unknown) version\b|\bbeta header/.test(
      low,
    );
  return make(
    'invalid_request',
    `${host} refused the request (${status}). ${sentence(words)}`,
    ofVersion ? FIX_VERSION : undefined,
  );
}

interface ApiProblem {
  readonly status?: number;
  readonly type?: string;
  /** The API's stable name of the cause. */
  readonly code?: string;
  readonly apiMessage?: string;
  readonly headers?: Headers;
}

function asApiProblem(problem: unknown): ApiProblem {
  if (typeof problem !== 'object' || problem === null) return {};
  const get = (key: string): unknown => Reflect.get(problem, key);
  const status = get('status');
  const type = get('type');
  const code = get('errorCode');
  const headers = get('headers');
  // Without a message in the body the SDK's own is "<status> <body>".
  const raw =
    typeof status === 'number'
      ? String(get('message')).replace(/^\d+ (?:status code \(no body\)$|null$)?/, '')
      : undefined;
  const message = refusedIn(get('error'))?.message || wordsIn(get('error')) || raw;
  return {
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof message === 'string' ? { apiMessage: message } : {}),
    ...(headers instanceof Headers ? { headers } : {}),
  };
}

function withFacts(error: ModelError, seen: ApiProblem, context: ErrorContext): ModelError {
  const retryAfterMs = seen.headers && retryAfterOf(seen.headers, context.now);
  const requestId = seen.headers?.get('request-id');
  return {
    ...error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId ? { requestId } : {}),
  };
}

const NAMES: Readonly<Record<ModelErrorKind, string>> = {
  auth: 'authentication_failed',
  credentials: 'cloud_credential_error',
  permission: 'authentication_failed',
  not_found: 'model_not_found',
  rate_limit: 'rate_limit',
  overloaded: 'overloaded',
  prompt_too_long: 'invalid_request',
  image: 'invalid_request',
  billing: 'billing_error',
  invalid_request: 'invalid_request',
  server: 'server_error',
  network: 'unknown',
  truncated: 'server_error',
  stalled: 'server_error',
  aborted: 'unknown',
};

/** Returns the name of a failure for hooks and scripts (docs/hooks.md). */
export const failureName = (kind: ModelErrorKind): string => NAMES[kind];

/** The longest wait a server may ask for, a day: past that the user should decide. Milliseconds. */
export const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * Reads the wait a response asks for, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as a date.
 * A date counts from that of the response, as clocks differ. Returns undefined when it says nothing usable.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const precise = headers.get('retry-after-ms')?.trim() ?? '';
  if (DECIMAL.test(precise)) return clamp(Number(precise));
  const value = headers.get('retry-after')?.trim() ?? '';
  if (DECIMAL.test(value)) return clamp(Number(value) * 1000);
  // `Date.parse` takes "-5" or "soon 1" for a day of 2001.
  const date = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  const sent = headers.get('date')?.trim() ?? '';
  const wait = date - (HTTP_DATE.test(sent) ? Date.parse(sent) : now);
  return wait > 0 ? clamp(wait) : undefined;
}

const DECIMAL = /^\d+(?:\.\d+)?$/;
/** A date as HTTP has it, in the form of today or in that before (RFC 9110, 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT$/;

const clamp = (ms: number): number => Math.min(Math.max(0, ms), MAX_WAIT_MS);
