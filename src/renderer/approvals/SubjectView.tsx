import { CornerDownRight, Folder, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApprovalSubject } from '../../shared/permission';
import { tildePath, tildeText } from '../ui/format';
import { Badge } from '../ui/Marks';
import { VisiblePath, VisibleProse, VisibleText } from '../ui/VisibleText';
import type { TextRange } from '../ui/visible-text';
import { CommandText } from './CommandText';

/** The act itself, in full: what would run or be read, and where that really is. */
export function SubjectView({
  subject,
  home,
}: {
  readonly subject: ApprovalSubject;
  readonly home: string;
}) {
  switch (subject.kind) {
    case 'command':
      return <CommandView subject={subject} home={home} />;
    case 'read':
      return (
        <div>
          <Verbatim>
            <VisibleText text={subject.path} padding />
          </Verbatim>
          <RealPath path={subject.path} realPath={subject.realPath} home={home} />
        </div>
      );
    case 'connect':
      return (
        <div>
          <Verbatim>
            <VisibleText
              text={subject.port === null ? subject.host : `${subject.host}:${subject.port}`}
              padding
            />
          </Verbatim>
          <p className="mt-3 mb-1 text-meta font-medium text-ink-3">
            {subject.commands.length === 1
              ? 'The command that runs in the sandbox'
              : `One of the ${subject.commands.length} commands that run in the sandbox, newest first`}
          </p>
          <div className="flex flex-col gap-2">
            {subject.commands.map((command, at) => (
              <Verbatim key={`${at}:${command}`}>
                <VisibleText text={tildeText(command, home)} padding />
              </Verbatim>
            ))}
          </div>
        </div>
      );
    case 'fetch':
      return <FetchView url={subject.url} prompt={subject.prompt} />;
    // They have cards of their own.
    case 'edit':
    case 'question':
    case 'plan':
    case 'form':
    case 'visit':
      return null;
    case 'tool':
      return (
        <div>
          <p className="mb-1.5 font-mono text-meta text-ink-2">
            <VisibleText text={subject.name} />
          </p>
          <Verbatim>
            <VisibleText text={subject.input} padding />
          </Verbatim>
        </div>
      );
  }
}

function CommandView({
  subject,
  home,
}: {
  readonly subject: Extract<ApprovalSubject, { kind: 'command' }>;
  readonly home: string;
}) {
  return (
    <div>
      {subject.description === undefined ? null : (
        <p className="mb-2 text-code text-ink-2 [overflow-wrap:anywhere]">
          <VisibleProse text={subject.description} />
        </p>
      )}
      <Verbatim>
        <CommandText command={subject.command} asks={subject.asks} />
      </Verbatim>
      <Fact icon={<Folder size={13} aria-hidden />}>
        <span className="sr-only">in folder </span>
        <VisiblePath text={tildePath(subject.cwd, home)} />
        {subject.background ? (
          <>
            {' '}
            <Badge>in the background</Badge>
          </>
        ) : null}
      </Fact>
      {(subject.leads ?? []).map(({ path, realPath }) => (
        <Fact
          key={`${path}:${realPath}`}
          icon={<CornerDownRight size={13} aria-hidden />}
          tone="waits"
        >
          <VisiblePath text={tildePath(path, home)} /> leads to{' '}
          <VisiblePath text={tildePath(realPath, home)} />
        </Fact>
      ))}
    </div>
  );
}

/** Text exactly as it would be used: every character shown, nothing cut, long lines wrapped. */
function Verbatim({ children }: { readonly children: ReactNode }) {
  return (
    <pre className="rounded-md border border-line bg-sunken px-3 py-2.5 text-source whitespace-pre-wrap text-ink [overflow-wrap:anywhere] [tab-size:4]">
      {children}
    </pre>
  );
}

/** The real path, when it differs from the one named. */
export function RealPath({
  path,
  realPath,
  home,
}: {
  readonly path: string;
  readonly realPath: string;
  readonly home: string;
}) {
  if (path === realPath) return null;
  return (
    <Fact icon={<CornerDownRight size={13} aria-hidden />} tone="waits">
      leads to <VisiblePath text={tildePath(realPath, home)} />
    </Fact>
  );
}

function Fact({
  icon,
  tone = 'quiet',
  children,
}: {
  readonly icon: ReactNode;
  readonly tone?: 'quiet' | 'waits';
  readonly children: ReactNode;
}) {
  return (
    <p
      className={`mt-2 flex items-start gap-1.5 font-mono text-meta ${tone === 'waits' ? 'text-waits' : 'text-ink-3'}`}
    >
      <span className="mt-px shrink-0">{icon}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </p>
  );
}

/** The whole address that would be fetched, its host emphasised, and what is unusual about it. */
function FetchView({ url, prompt }: { readonly url: string; readonly prompt: string | undefined }) {
  const facts: FetchFacts = fetchFacts(url);
  return (
    <div>
      <pre className="rounded-md border border-line bg-sunken px-3 py-2.5 text-source whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">
        <VisibleText
          text={url}
          padding
          markedClassName="font-semibold text-ink underline decoration-2 underline-offset-4"
          {...(facts.range === null ? {} : { ranges: [facts.range] })}
        />
      </pre>
      {facts.cautions.map((caution) => (
        <p key={caution} className="mt-2 flex items-start gap-1.5 text-code text-waits">
          <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0" />
          {caution}
        </p>
      ))}
      {prompt === undefined ? null : (
        <div className="mt-3">
          <p className="text-meta font-medium text-ink-3">What it is read for</p>
          <p className="text-code text-ink-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
            <VisibleText text={prompt} padding />
          </p>
        </div>
      )}
    </div>
  );
}

/** Facts about an address to know before it is fetched. */
interface FetchFacts {
  /** The host as the network sees it: international names encoded (`xn--…`). */
  readonly host: string;
  /** The range of the host in the address as written; null when it is written differently. */
  readonly range: TextRange | null;
  /** Unusual properties, a sentence each. */
  readonly cautions: readonly string[];
}

/** Reads an address as a browser does. Pure. */
export function fetchFacts(address: string): FetchFacts {
  if (!URL.canParse(address)) {
    return { host: 'not an address', range: null, cautions: ['This is not a full web address.'] };
  }
  const url = new URL(address);
  const range = hostRange(address, url);
  const written = range === null ? '' : address.slice(range.start, range.end);
  return {
    host: url.host || url.protocol,
    range,
    cautions: [
      ...(url.hostname.split('.').some((label) => label.startsWith('xn--'))
        ? [
            written.toLowerCase() === url.host
              ? 'The host is an encoded international name: it may look like another one elsewhere.'
              : `The host is written with letters that may look like others; it is really ${url.host}.`,
          ]
        : []),
      ...(url.username !== '' || url.password !== ''
        ? ['What stands before the @ is a user name, not the host.']
        : []),
      ...(url.protocol === 'http:' ? ['The connection is not encrypted.'] : []),
      ...(isLocal(url.hostname) ? ['This address is on this machine or in your own network.'] : []),
    ],
  };
}

/** Returns the host in the address as written, found between scheme, user and path. */
function hostRange(address: string, url: URL): TextRange | null {
  const match = /^\s*[a-z][a-z0-9+.-]*:[/\\]{2}(?<user>[^/?#\\]*@)?(?<host>[^/?#\\]+)/i.exec(
    address,
  );
  const host = match?.groups?.['host'];
  if (match === null || host === undefined || url.host === '') return null;
  const start = match[0].length - host.length;
  return { start, end: start + host.length };
}

const isLocal = (hostname: string): boolean =>
  /^(localhost|.*\.local|.*\.localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0|\[(::1?|f[cd]|fe80))/i.test(
    hostname,
  );
