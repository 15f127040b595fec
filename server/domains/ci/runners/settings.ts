import type { Ctx } from '../../../ctx.ts'
import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { RunnerSettingsTable } from '../../../db/schema.gen.ts'

export type RunnerSettings = Selectable<RunnerSettingsTable>

/** The row about runners of the whole instance; undefined until something of it was set. */
export function runnerSettings(db: Database): RunnerSettings | undefined {
  return db.one<RunnerSettings>('SELECT * FROM runner_settings WHERE id = 1')
}

/** Sets columns of it. */
export function setRunnerSettings(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  columns: Partial<Omit<RunnerSettings, 'id' | 'updated_at'>>,
): void {
  db.exec('INSERT OR IGNORE INTO runner_settings (id, updated_at) VALUES (1, ?)', now)
  for (const [name, value] of Object.entries(columns))
    db.exec(`UPDATE runner_settings SET ${name} = ?, updated_at = ? WHERE id = 1`, value, now)
}
