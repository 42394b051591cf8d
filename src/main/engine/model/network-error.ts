import { plainLine } from '../../../shared/plain-line';
import type { UnknownEncodingCode } from '../ports-documents';
import type { ModelError } from './model-client';
import { isSecret } from './scrub';

const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up',
  ECONNREFUSED: 'it refuses connections',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
};

const UNKNOWN_ENCODING: UnknownEncodingCode = 'LATHE_UNKNOWN_ENCODING';

/** The codes of Node for a body that its unpackers do not know; not those for one that broke off. */
const NOT_PACKED = /^(?:Z_DATA_ERROR|ERR__ERROR_FORMAT|ZSTD_error_)/;

/** The messages of the SDK's packages for cloud providers that found nothing to sign with. */
const NO_CREDENTIALS = /AWS credentials from the|Google OAuth credentials/;

/** The message of `fetch` for the ports that the Fetch standard blocks ("port blocking"). */
const BLOCKED_PORT = 'bad port';

/** The ways of packing that every `fetch` in use unpacks by itself. */
const UNPACKED: ReadonlySet<string> = new Set([
  'identity',
  'gzip',
  'x-gzip',
  'deflate',
  'br',
  'zstd',
]);

/** Throws when an answer is packed in a way that was not unpacked: its body would look like an empty or a foreign one. */
export function requireUnpacked({ headers }: Response): void {
  const codes = (headers.get('content-encoding') ?? '').toLowerCase().split(',');
  const unknown = codes
    .map((code) => code.trim())
    .find((code) => code !== '' && !UNPACKED.has(code));
  if (unknown === undefined) return;
  const message = `its content-encoding is ${JSON.stringify(unknown.slice(0, 40))}, which is not known here`;
  throw Object.assign(new Error(message), { code: UNKNOWN_ENCODING });
}

/** Explains why a request never got an answer. */
export function networkError(
  problem: unknown,
  host: string,
  secrets: readonly string[],
  fixKey?: string,
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
  if (problem instanceof Error && NO_CREDENTIALS.test(problem.message))
    return {
      kind: 'credentials',
      message: `There are no credentials for ${host}: ${quote(deepestMessage(problem), secrets)}`,
      ...(fixKey === undefined ? {} : { fix: fixKey }),
      retryable: false,
    };
  if (problem instanceof Error && code.includes(UNKNOWN_ENCODING))
    return {
      kind: 'server',
      message: `${host} sent an answer that Lathe cannot unpack: ${quote(deepestMessage(problem), secrets)}.`,
      fix: 'Check the base URL, and any proxy in between.',
      retryable: false,
    };
  if (problem instanceof Error && code.some((c) => NOT_PACKED.test(c)))
    return {
      kind: 'network',
      message: `${host} sent an answer that is not packed as its content-encoding says (${deepestMessage(problem)}).`,
      fix: 'Check the base URL, and any proxy in between.',
      retryable: false,
    };
  if (problem instanceof Error && code.some((c) => c.startsWith('HPE_')))
    return {
      kind: 'network',
      message: `${host} answered with what is no HTTP (${quote(deepestMessage(problem), secrets)}).`,
      fix: 'Check the base URL, and any proxy in between.',
      retryable: true,
      // A wrong address, most likely: it is not worth ten tries.
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
  const refused = problem instanceof Error ? proxyRefusal(deepestMessage(problem)) : null;
  if (refused !== null) return refusedByProxy(refused, host);
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
  if (problem instanceof Error && /header (?:name|value)|ByteString/.test(deepestMessage(problem)))
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
  const words = quote(
    problem instanceof Error ? deepestMessage(problem) : String(problem),
    secrets,
  );
  const said = words === '' ? '' : ` (${words})`;
  if (isFault(problem))
    return {
      kind: 'network',
      message: `The request to ${host} failed inside Lathe${said}.`,
      fix: 'Send the message again. If that fails too, please report it.',
      retryable: false,
    };
  return { kind: 'network', message: `The connection to ${host} broke${said}.`, retryable: true };
}

/** Tells whether a program failed, not a connection: what a connection throws has a code, or is a plain error. */
const isFault = (problem: unknown): boolean => {
  if (!(problem instanceof Error)) return true;
  const deepest = deepestOf(problem);
  if (causeCodes(problem).length > 0 || FETCH_FAILED.test(deepest.message)) return false;
  return FAULTS.some((fault) => deepest instanceof fault);
};

const FAULTS = [TypeError, RangeError, ReferenceError, URIError];

/** The words a `fetch` throws that name no cause: Node's and those of browsers. */
const FETCH_FAILED = /^(?:fetch failed|terminated|failed to fetch|load failed|networkerror\b.*)$/i;

/** Returns the status with which a proxy refused a tunnel, in the words of undici and of Node's `https`; null when none did. */
const proxyRefusal = (words: string): number | null => {
  const status = /Proxy response \((\d+)\)|tunnel to \S+ via .*HTTP\/1\.\d (\d+)/.exec(words);
  return status === null ? null : Number(status[1] ?? status[2]);
};

/** The failure of a request that a proxy takes only with a password. */
export const PROXY_PASSWORD: ModelError = {
  kind: 'network',
  message: 'The proxy wants a name and a password (407).',
  fix: 'Put them into its address, as in HTTPS_PROXY=http://name:password@host:8080, with %40 for @ and %3A for a colon.',
  retryable: false,
};

const refusedByProxy = (status: number, host: string): ModelError =>
  status === 407
    ? PROXY_PASSWORD
    : {
        kind: 'network',
        message: `The proxy makes no connection to ${host} (${status}).`,
        fix: 'Check the proxy, or name the host in NO_PROXY if it is reached without one.',
        retryable: status >= 500,
      };

/** Lists the error codes along the chain of causes, deepest last. Node nests them, and groups those of several addresses. */
function causeCodes(problem: unknown, depth = 0): readonly string[] {
  if (!(problem instanceof Error) || depth > 5) return [];
  const code = Reflect.get(problem, 'code');
  const inner: unknown[] = problem instanceof AggregateError ? problem.errors : [problem.cause];
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...inner.flatMap((cause) => causeCodes(cause, depth + 1)),
  ];
}

const deepestOf = (problem: Error, depth = 0): Error =>
  problem.cause instanceof Error && depth < 5 ? deepestOf(problem.cause, depth + 1) : problem;

const deepestMessage = (problem: Error): string => deepestOf(problem).message;

/** The longest quotation of a server. Characters. */
const MAX_QUOTE = 600;

/** Makes a server's words fit for the screen: one line in which nothing hides, no web page, no key, not endless. */
export function quote(words: string, secrets: readonly string[]): string {
  if (/^\s*<(!doctype|html)/i.test(words)) return 'It answered with a web page.';
  const clean = secrets
    .filter(isSecret)
    .reduce((text, secret) => text.replaceAll(secret, '•••'), words)
    .replace(/\bsk-[A-Za-z0-9_-]{8,}/g, '•••')
    .replace(/\s+/g, ' ')
    .trim();
  return `${plainLine(clean, MAX_QUOTE)}${clean.length > MAX_QUOTE ? '…' : ''}`;
}

/** Lists the values of the user's own headers that may be secrets. */
export const secretsInHeaders = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).filter(isSecret);
