import { err, ok, type Result } from '../../shared/result';

/** The receivers of spans, and their contents. */
export interface TracePlan {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Facts about this process: `service.name` and what a user adds. */
  readonly resource: Readonly<Record<string, string>>;
  /** The time for an answer of the collector, also at the end; null: Lathe's own limits. Milliseconds. */
  readonly timeoutMs: number | null;
  /** Texts of the conversation go along. */
  readonly texts: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of a collector on this machine, as OpenTelemetry has it. */
const LOCAL = 'http://localhost:4318';

/**
 * Reads from the environment whether spans are sent; null: they are not. Nothing else can say so: no settings file, and so
 * no project. An error names the variable and how to mend it.
 */
export function tracePlan(env: Environment): Result<TracePlan | null, string> {
  const of = (name: string) => env[name]?.trim() ?? '';
  const exporter = of('OTEL_TRACES_EXPORTER').toLowerCase();
  const own = of('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const shared = of('OTEL_EXPORTER_OTLP_ENDPOINT');
  const wanted = exporter === '' ? own !== '' || shared !== '' : exporter !== 'none';
  if (!wanted || isOn(of('OTEL_SDK_DISABLED'))) return ok(null);
  if (exporter !== '' && exporter !== 'otlp')
    return err(`OTEL_TRACES_EXPORTER: Lathe cannot send spans to "${exporter}". Set otlp or none.`);
  const protocol = of('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || of('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc')
    return err(
      'OTEL_EXPORTER_OTLP_PROTOCOL: Lathe sends spans over HTTP, not gRPC. Set http/json, and the endpoint for it (mostly port 4318).',
    );
  const url = own || `${(shared || LOCAL).replace(/\/+$/, '')}/v1/traces`;
  const variable =
    own === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  if (!isWebAddress(url))
    return err(
      `${variable}: this is not an address. Set one that begins with http:// or https://.`,
    );
  if (holdsKey(url))
    return err(
      `${variable}: a name and a password in the address are not sent. Set OTEL_EXPORTER_OTLP_HEADERS instead.`,
    );
  return ok({
    url,
    headers: pairs(of('OTEL_EXPORTER_OTLP_TRACES_HEADERS') || of('OTEL_EXPORTER_OTLP_HEADERS')),
    resource: {
      'service.name': 'lathe',
      ...pairs(of('OTEL_RESOURCE_ATTRIBUTES')),
      ...(of('OTEL_SERVICE_NAME') === '' ? {} : { 'service.name': of('OTEL_SERVICE_NAME') }),
    },
    timeoutMs: wholeNumber(
      of('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') || of('OTEL_EXPORTER_OTLP_TIMEOUT'),
    ),
    texts: isOn(of('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')),
  });
}

const isOn = (value: string): boolean => /^(1|true|yes|on)$/i.test(value);

const wholeNumber = (text: string): number | null =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Tells whether an address holds a name or a password, which would stand wherever it is shown. */
function holdsKey(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/** Reads `name=value,name=value`, percent-encoded. What is no pair is left out. */
const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      return name === '' ? [] : [[decoded(name), decoded(value)]];
    }),
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is not encoded.
    return text;
  }
}
