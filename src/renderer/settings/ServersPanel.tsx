import { ChevronDown, ChevronRight, ExternalLink, Plug } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ToolServerAct, ToolServerDetails, ToolServerView } from '../../shared/tool-server';
import { addToast, reportFault } from '../store/toasts';
import { actOnToolServer, toolServerDetails } from '../store/tool-servers';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { plural, tildePath } from '../ui/format';
import { Badge } from '../ui/Marks';
import { EmptyState } from '../ui/Notice';
import { ScrollArea } from '../ui/ScrollArea';
import { VisibleText } from '../ui/VisibleText';
import { ServerDetails } from './ServerDetails';

/** The servers of the conversation that is shown: how they are, what they offer and said, and what can be done. */
export function ServersPanel() {
  const lathe = useLathe();
  const sessionId = useScreen((s) => s.sessionId);
  const servers = useScreen((s) => s.toolServers);
  const [open, setOpen] = useState<string | null>(null);
  if (sessionId === null || servers.length === 0)
    return (
      <EmptyState
        icon={Plug}
        title={sessionId === null ? 'No conversation yet' : 'No tool servers yet'}
        text={
          sessionId === null
            ? 'Tool servers start with a conversation. Begin one, and they are listed here.'
            : 'A tool server gives the model more tools. Add one in a terminal: lathe mcp add <name> <command or address>'
        }
      />
    );
  const act = async (kind: ToolServerAct['kind'], name: string) => {
    const done = await actOnToolServer(lathe, sessionId, { kind, name });
    if (!done.ok) reportFault(lathe.store, done.error);
    else if (done.value !== null) addToast(lathe.store, { level: 'info', text: done.value });
  };
  return (
    <div className="flex flex-col gap-4">
      {(['Tool servers', 'Language servers'] as const).map((title, at) => {
        const own = servers.filter(({ languages }) => (languages === undefined) === (at === 0));
        return own.length === 0 ? null : (
          <section key={title} aria-label={title}>
            {at === 0 ? null : <h3 className="mb-1 text-meta font-medium text-ink-3">{title}</h3>}
            <ul className="flex flex-col gap-2" aria-label={title}>
              {own.map((server) => (
                <ServerItem
                  key={server.name}
                  server={server}
                  sessionId={sessionId}
                  open={open === server.name}
                  onToggle={() => setOpen(open === server.name ? null : server.name)}
                  act={(kind) => void act(kind, server.name)}
                />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

const TELLS = {
  connecting: { tone: 'neutral', text: 'connecting…' },
  connected: { tone: 'done', text: 'connected' },
  failed: { tone: 'failed', text: 'failed' },
  needs_sign_in: { tone: 'waits', text: 'needs a sign-in' },
  waits_for_trust: { tone: 'waits', text: 'waits for your trust' },
  denied: { tone: 'neutral', text: 'denied in settings' },
  off: { tone: 'neutral', text: 'off' },
  off_in_settings: { tone: 'neutral', text: 'off in settings' },
  idle: { tone: 'neutral', text: 'not started' },
} as const;

/** One server, and all about it when it is opened. */
function ServerItem({
  server,
  sessionId,
  open,
  onToggle,
  act,
}: {
  readonly server: ToolServerView;
  readonly sessionId: string;
  readonly open: boolean;
  readonly onToggle: () => void;
  readonly act: (kind: ToolServerAct['kind']) => void;
}) {
  const Chevron = open ? ChevronDown : ChevronRight;
  const { tone, text } = TELLS[server.state];
  return (
    <li className="rounded-md border border-line">
      <button
        type="button"
        aria-expanded={open}
        onClick={onToggle}
        className="flex w-full items-start gap-2 rounded-md px-3 py-2 text-left hover:bg-hover"
      >
        <Chevron size={14} aria-hidden className="mt-1 shrink-0 text-ink-3" />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-2 text-code">
            <span className="font-medium [overflow-wrap:anywhere]">
              <VisibleText text={server.name} />
            </span>
            <Badge tone={tone}>{text}</Badge>
            {server.signIn?.signedIn ? <Badge>signed in</Badge> : null}
          </span>
          <span className="block truncate text-meta text-ink-3">
            <VisibleText text={below(server)} />
          </span>
        </span>
      </button>
      <SignInLine server={server} act={act} />
      {open ? (
        <div className="flex flex-col gap-3 border-t border-line px-3 py-3">
          <ServerFacts server={server} />
          <ServerActs server={server} act={act} />
          {server.languages === undefined ? (
            <LiveDetails server={server} sessionId={sessionId} />
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

/** Returns the line below the name of a server. */
const below = (server: ToolServerView): string => {
  if (server.languages !== undefined) return `For ${server.languages.join(', ')}`;
  return server.state === 'connected' ? offered(server) : server.target;
};

function offered({ tools, prompts, resources }: ToolServerView): string {
  const counts = [
    plural(tools, 'tool'),
    prompts === 0 ? '' : plural(prompts, 'prompt'),
    resources === null
      ? ''
      : resources.count === null
        ? 'resources'
        : plural(resources.count, 'resource'),
  ];
  return counts.filter(Boolean).join(' · ');
}

/** The page to sign in at, while a user does. It opens only when they say so. */
function SignInLine({
  server: { name, signIn },
  act,
}: {
  readonly server: ToolServerView;
  readonly act: (kind: ToolServerAct['kind']) => void;
}) {
  const { openLink } = useLathe();
  if (signIn === null || signIn.page === null) return null;
  const { page } = signIn;
  return (
    <div
      role="status"
      className="mx-3 mb-3 flex flex-col gap-2 rounded-md border border-line bg-sunken px-3 py-2"
    >
      {page === '' ? (
        <p className="text-code text-ink-2">Asking where to sign in…</p>
      ) : (
        <>
          <p className="text-code text-ink-2">
            Sign in at{' '}
            <strong className="text-ink">
              <VisibleText text={hostOf(page)} />
            </strong>
            , then come back here.
          </p>
          <ScrollArea label="Address" className="max-h-24">
            <code className="block text-meta text-ink-3 [overflow-wrap:anywhere]">
              <VisibleText text={page} padding />
            </code>
          </ScrollArea>
        </>
      )}
      <div className="flex gap-2">
        {page === '' ? null : (
          <Button size="sm" variant="primary" onClick={() => openLink(page)}>
            <ExternalLink size={13} aria-hidden />
            Open the page
          </Button>
        )}
        <Button
          size="sm"
          variant="ghost"
          aria-label={`Cancel signing in to ${name}`}
          onClick={() => act('stopSignIn')}
        >
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** Returns the host that would really be asked, international names in their encoded form. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

const TRANSPORTS = {
  stdio: 'Command',
  http: 'Address (http)',
  sse: 'Address (sse)',
  ws: 'Address (ws)',
  program: 'Inside the program that drives Lathe',
} as const;

/** Shows the facts of a server: its kind, its source, and why it is not connected. */
function ServerFacts({ server }: { readonly server: ToolServerView }) {
  const home = useScreen((s) => s.info?.home ?? '');
  const { problem, signIn, target, transport, file, program, state } = server;
  const wrong = state === 'failed' || state === 'connecting' ? problem : null;
  return (
    <>
      {[wrong, signIn?.problem ?? null].map((text) =>
        text === null ? null : (
          <ScrollArea key={text} label="What is wrong" className="max-h-40">
            <p className="text-code whitespace-pre-wrap text-failed [overflow-wrap:anywhere]">
              <VisibleText text={text} />
            </p>
          </ScrollArea>
        ),
      )}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 text-code">
        <dt className="text-ink-3">{TRANSPORTS[transport]}</dt>
        <dd className="[overflow-wrap:anywhere]">
          <code className="text-[12.5px]">
            <VisibleText text={target} />
          </code>
        </dd>
        <dt className="text-ink-3">From</dt>
        <dd className="[overflow-wrap:anywhere]">
          <VisibleText text={tildePath(file, home)} />
        </dd>
        {program === '' ? null : (
          <>
            <dt className="text-ink-3">Calls itself</dt>
            <dd className="[overflow-wrap:anywhere]">
              <VisibleText text={program} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function ServerActs({
  server: { state, signIn, problem, languages },
  act,
}: {
  readonly server: ToolServerView;
  readonly act: (kind: ToolServerAct['kind']) => void;
}) {
  if (state === 'waits_for_trust')
    return (
      <p className="text-meta text-ink-3">
        It starts once you trust this folder, on the page Project.
      </p>
    );
  if (state === 'denied')
    return (
      <p className="text-meta text-ink-3 [overflow-wrap:anywhere]">
        <VisibleText text={problem ?? ''} />
      </p>
    );
  if (state === 'off_in_settings')
    return (
      <p className="text-meta text-ink-3">
        Take its name out of <code>disabledMcpjsonServers</code> to use it.
      </p>
    );
  const button = (kind: ToolServerAct['kind'], label: string, primary = false) => (
    <Button
      size="sm"
      {...(primary ? { variant: 'primary' as const } : {})}
      onClick={() => act(kind)}
    >
      {label}
    </Button>
  );
  if (state === 'idle')
    return <p className="text-meta text-ink-3">It starts with the first file that it is for.</p>;
  if (languages !== undefined)
    return <div>{button('reconnect', state === 'failed' ? 'Try again' : 'Restart')}</div>;
  if (state === 'off') return <div>{button('enable', 'Turn on')}</div>;
  const isSigning = signIn !== null && signIn.page !== null;
  return (
    <div className="flex flex-wrap gap-2">
      {signIn === null || isSigning ? null : signIn.signedIn && state !== 'needs_sign_in' ? (
        <>
          {button('signIn', 'Sign in again…')}
          {button('signOut', 'Sign out')}
        </>
      ) : state === 'connected' ? null : (
        button('signIn', 'Sign in…', state === 'needs_sign_in')
      )}
      {button('reconnect', state === 'failed' ? 'Try again' : 'Restart')}
      {button('disable', 'Turn off for this conversation')}
    </div>
  );
}

/** All that it offers and said, looked at again when that changed. */
function LiveDetails({
  server: { name, revision },
  sessionId,
}: {
  readonly server: ToolServerView;
  readonly sessionId: string;
}) {
  const lathe = useLathe();
  const [details, setDetails] = useState<ToolServerDetails | null>(null);
  useEffect(() => {
    let current = true;
    void toolServerDetails(lathe, sessionId, name).then((found) => {
      if (current && found.ok) setDetails(found.value);
    });
    return () => {
      current = false;
    };
  }, [lathe, sessionId, name, revision]);
  return details === null ? (
    <p className="text-meta text-ink-3">Looking…</p>
  ) : (
    <ServerDetails details={details} />
  );
}
