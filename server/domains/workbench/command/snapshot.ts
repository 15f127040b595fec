import { StartupError } from '../../../lib/fail.ts'
import { requestJson, type Target } from './request.ts'

const PATH = '/-/workbench/snapshots'

/** A command about snapshots. */
export interface SnapshotCommand extends Target {
  readonly action: string | undefined
  readonly name: string | undefined
  readonly replace: boolean
  readonly print: (line: string) => void
}

interface Snapshot {
  readonly name: string
  readonly created_at: string
  readonly database_bytes: number
  readonly repositories: number
}

/** Saves, restores, lists or deletes snapshots of a running instance. Throws StartupError. */
export async function snapshotCommand(command: SnapshotCommand): Promise<void> {
  const { action, name, replace, print } = command
  if (action === undefined || action === 'list') {
    for (const snapshot of (await requestJson(command, 'GET', PATH)) as Snapshot[])
      print(
        `${snapshot.created_at}  ${snapshot.name}  ${snapshot.repositories} repositories, ${snapshot.database_bytes} bytes`,
      )
    return
  }
  if (!['save', 'restore', 'delete'].includes(action))
    throw new StartupError(`There is no "snapshot ${action}"; it is save, restore, list or delete.`)
  if (name === undefined) throw new StartupError(`Name the snapshot: deskforge snapshot ${action} NAME`)
  const path = `${PATH}/${encodeURIComponent(name)}`
  if (action === 'save') {
    await requestJson(command, 'POST', PATH, { name, replace })
    print(`Saved ${name}.`)
  } else if (action === 'restore') {
    await requestJson(command, 'POST', `${path}/restore`)
    print(`Restored ${name}.`)
  } else {
    await requestJson(command, 'DELETE', path)
    print(`Deleted ${name}.`)
  }
}
