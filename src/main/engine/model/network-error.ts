import type { ModelError } from './model-client';
import { quote } from './quote';

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up',
  ECONNREFUSED: 'it refuses connections',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
};

/** What `fetch` says of the ports that the Fetch standard blocks ("port blocking"). */
const BLOCKED_PORT = 'bad port';

/** Words for a request that never got an answer. */
export function networkError(
  problem: unknown,
  host: string,
  secrets: readonly string[],
): ModelError {
  const code = causeCodes(problem);
  const why = code.map((c) => UNREACHABLE[c]).find((text) => text !== undefined);
  if (why !== undefined)
    return {
      kind: 'network',
      message: `${host} cannot be reached: ${why}.`,
      fix: 'Check the network and the base URL.',
      retryable: true,
      unreachable: true,
    };
  if (problem instanceof Error && deepestMessage(problem) === BLOCKED_PORT)
    return {
      kind: 'network',
      message: `${host} cannot be reached: its port is one that HTTP clients refuse to use.`,
      fix: 'Check the base URL.',
      retryable: false,
      unreachable: true,
    };
  if (code.some((c) => /CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE/.test(c)))
    return {
      kind: 'network',
      message: `${host} asks for a client certificate (${code[0]}).`,
      fix: 'Name its files in CLAUDE_CODE_CLIENT_CERT and CLAUDE_CODE_CLIENT_KEY.',
      retryable: false,
    };
  if (code.some((c) => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|EPROTO/.test(c)))
    return {
      kind: 'network',
      message: `The secure connection to ${host} failed (${code[0]}).`,
      fix: 'If a proxy with its own certificate is in between, name it in NODE_EXTRA_CA_CERTS.',
      retryable: false,
    };
  if (problem instanceof Error && /header value|ByteString/.test(deepestMessage(problem)))
    return {
      kind: 'invalid_request',
      message: `The request to ${host} cannot be sent: a header holds a character that is not allowed there.`,
      fix: 'Check ANTHROPIC_CUSTOM_HEADERS.',
      retryable: false,
    };
  if (
    problem instanceof Error &&
    /TimeoutError|timed? ?out/i.test(`${problem.name} ${problem.message}`)
  )
    return { kind: 'network', message: `${host} did not answer in time.`, retryable: true };
  const words = problem instanceof Error ? quote(deepestMessage(problem), secrets) : '';
  return {
    kind: 'network',
    message: `The connection to ${host} broke${words === '' ? '' : ` (${words})`}.`,
    retryable: true,
  };
}

/** Error codes along the chain of causes, deepest last. Node nests them (and groups them when it tries several addresses). */
function causeCodes(problem: unknown, depth = 0): readonly string[] {
  if (!(problem instanceof Error) || depth > 5) return [];
  const code = Reflect.get(problem, 'code');
  const inner: unknown[] = problem instanceof AggregateError ? problem.errors : [problem.cause];
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...inner.flatMap((cause) => causeCodes(cause, depth + 1)),
  ];
}

const deepestMessage = (problem: Error, depth = 0): string =>
  problem.cause instanceof Error && depth < 5
    ? deepestMessage(problem.cause, depth + 1)
    : problem.message;
