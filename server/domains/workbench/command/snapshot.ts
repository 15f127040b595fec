import { StartupError } from '../../../lib/fail.ts'
import { ask, type Target } from './request.ts'

const PATH = '/-/workbench/snapshots'

/** A command about snapshots. */
export interface SnapshotCommand extends Target {
  readonly action: string | undefined
  readonly name: string | undefined
  readonly replace: boolean
  readonly say: (line: string) => void
}

interface Shown {
  readonly name: string
  readonly created_at: string
  readonly database_bytes: number
  readonly repositories: number
}

/** Saves, restores, lists or deletes snapshots of a running instance. Throws StartupError. */
export async function snapshotCommand(command: SnapshotCommand): Promise<void> {
  const { action, name, replace, say } = command
  if (action === undefined || action === 'list') {
    for (const snapshot of (await ask(command, 'GET', PATH)) as Shown[])
      say(
        `${snapshot.created_at}  ${snapshot.name}  ${snapshot.repositories} repositories, ${snapshot.database_bytes} bytes`,
      )
    return
  }
  if (!['save', 'restore', 'delete'].includes(action))
    throw new StartupError(`There is no "snapshot ${action}"; it is save, restore, list or delete.`)
  if (name === undefined) throw new StartupError(`Name the snapshot: deskforge snapshot ${action} NAME`)
  const at = `${PATH}/${encodeURIComponent(name)}`
  if (action === 'save') {
    await ask(command, 'POST', PATH, { name, replace })
    say(`Saved ${name}.`)
  } else if (action === 'restore') {
    await ask(command, 'POST', `${at}/restore`)
    say(`Restored ${name}.`)
  } else {
    await ask(command, 'DELETE', at)
    say(`Deleted ${name}.`)
  }
}
