import { join } from 'node:path'

import { migrations } from '../../../db/migrate.ts'
import type { RestoreOrder } from '../thread/messages.ts'
import { stagingOf, STORAGE_STAGING } from './swap.ts'

/** The order to put a backup together beside what is there. `storages`: folders of start options, by name. */
export function restoreOrder(
  dataDir: string,
  storages: Readonly<Record<string, string>>,
  given: { file: string; passphrase?: string | undefined },
): RestoreOrder {
  const places = Object.entries(storages).map(([name, folder]) => [name, join(folder, STORAGE_STAGING)])
  return {
    kind: 'restore',
    ...given,
    staging: stagingOf(dataDir),
    storages: Object.fromEntries(places) as Record<string, string>,
    dataDir,
    known: migrations.map(({ name }) => name),
  }
}
