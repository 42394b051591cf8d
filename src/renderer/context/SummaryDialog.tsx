import { useState } from 'react';
import type { ContextAct } from '../../shared/context-act';
import type { AgentTranscript } from '../../shared/transcript';
import type { Lathe } from '../store/lathe';
import { currentTranscript } from '../store/screen';
import { stopSession } from '../store/sessions';
import { reported } from '../store/toasts';
import { useLathe, useScreen } from '../store/use-lathe';
import { Button } from '../ui/Button';
import { Dialog, focusHome } from '../ui/Dialog';
import { TextArea, TextField } from '../ui/Fields';
import { plural, tokens } from '../ui/format';
import { Spinner } from '../ui/Marks';

/** Changes what is sent of a conversation; a failure is shown. Returns whether it was done, or has begun. */
export async function changeContext(
  lathe: Lathe,
  sessionId: string,
  act: ContextAct,
): Promise<boolean> {
  const asked = await lathe.ask((client) => client.session.changeContext({ sessionId, act }));
  return reported(lathe.store, asked).ok;
}

/** Has a summary written, shows it to be changed, and puts it in the place of the older messages. */
export function SummaryDialog({
  until,
  onClose,
}: {
  /** The first message that stays as it is; absent: the newest stay. */
  readonly until?: string | undefined;
  readonly onClose: () => void;
}) {
  const sessionId = useScreen((s) => s.sessionId);
  const draft = useScreen((s) => currentTranscript(s)?.draft ?? null);
  const running = useScreen((s) => (currentTranscript(s)?.running ?? null) !== null);
  if (sessionId === null) return null;
  const given = { sessionId, onClose };
  return draft === null ? (
    <Wish {...given} until={until} running={running} />
  ) : (
    <Draft {...given} key={draft.id} draft={draft} running={running} />
  );
}

interface PartProps {
  readonly sessionId: string;
  readonly running: boolean;
  readonly onClose: () => void;
}

/** Asks what the summary is to keep, and waits for it. */
function Wish({
  sessionId,
  until,
  running,
  onClose,
}: PartProps & { readonly until: string | undefined }) {
  const lathe = useLathe();
  const [focus, setFocus] = useState('');
  const [asked, setAsked] = useState(false);
  const busy = asked && running;
  const write = async () => {
    const act = {
      kind: 'draft' as const,
      ...(focus.trim() === '' ? {} : { focus }),
      ...(until === undefined ? {} : { until }),
    };
    setAsked(await changeContext(lathe, sessionId, act));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Summarise the conversation"
      description={`${until === undefined ? 'The older messages are' : 'What was said before the prompt is'} summarised for the model, and you see the summary before it counts. Here everything stays readable.`}
      footer={
        busy ? (
          <Button onClick={() => void stopSession(lathe)}>Stop</Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" disabled={running} onClick={() => void write()}>
              Write a summary
            </Button>
          </>
        )
      }
    >
      {busy ? (
        <p role="status" className="flex items-center gap-2 text-code text-ink-2">
          <Spinner size={13} /> The model writes the summary…
        </p>
      ) : (
        <TextField
          label="Above all keep"
          value={focus}
          onChange={setFocus}
          maxLength={10_000}
          autoFocus
          hint={running ? 'Wait until Lathe has done its work, or stop it.' : 'May stay empty.'}
        />
      )}
    </Dialog>
  );
}

/** Shows a drafted summary, which can be changed before it is used. */
function Draft({
  sessionId,
  draft,
  running,
  onClose,
}: PartProps & { readonly draft: NonNullable<AgentTranscript['draft']> }) {
  const lathe = useLathe();
  const [text, setText] = useState(draft.summary);
  const act = async (given: ContextAct) => {
    if (!(await changeContext(lathe, sessionId, given))) return;
    onClose();
    requestAnimationFrame(focusHome);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title="Summary of the conversation"
      description={`This text takes the place of ${plural(draft.removed.length, 'message')}: about ${tokens(draft.tokensBefore)} tokens become ${tokens(draft.tokensAfter)}. Your own words and what you pinned are kept besides.`}
      footer={
        <>
          <Button onClick={() => void act({ kind: 'discard' })}>Throw away</Button>
          <Button
            variant="primary"
            disabled={running || text.trim() === ''}
            onClick={() => void act({ kind: 'apply', summary: text })}
          >
            Use this summary
          </Button>
        </>
      }
    >
      <TextArea
        label="Summary"
        hideLabel
        value={text}
        onChange={setText}
        rows={18}
        maxLength={400_000}
        autoFocus
      />
    </Dialog>
  );
}
