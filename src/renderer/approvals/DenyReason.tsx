import { useState } from 'react';
import { Button } from '../ui/Button';
import { TextField } from '../ui/TextField';

/** Refuses with words that go to the model. */
export function DenyReason({
  busy,
  label = 'What should Lathe do instead?',
  action = 'Deny',
  onDeny,
  onCancel,
}: {
  readonly busy: boolean;
  readonly label?: string;
  readonly action?: string;
  readonly onDeny: (message: string) => unknown;
  readonly onCancel: () => void;
}) {
  const [message, setMessage] = useState('');
  return (
    <form
      aria-label="Say why"
      className="mt-3 flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(message);
      }}
    >
      <TextField
        label={label}
        value={message}
        onChange={setMessage}
        autoFocus
        placeholder="Lathe reads this and goes on from there"
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Back</Button>
        <Button type="submit" variant="primary" disabled={busy}>
          {message.trim() === '' ? action : `${action} and tell`}
        </Button>
      </div>
    </form>
  );
}
