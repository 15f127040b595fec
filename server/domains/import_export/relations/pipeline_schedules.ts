import { nextRun } from '../../../lib/cron.ts'
import { requiredText, textOf, timeOf } from './checked.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'

/** When pipelines begin by themselves. Here they do not, until whoever imported them says so (spec administration 6.5). */
export const pipeline_schedules = relation({
  name: 'pipeline_schedules',
  of: ['project'],
  *records({ db, owner }) {
    const rows = db.each<Fields & { readonly active: boolean }>(
      `SELECT description, ref, cron, cron_timezone, next_run_at, active, owner_id, project_id, created_at, updated_at
       FROM ci_schedules WHERE project_id = ? ORDER BY id`,
      owner.id,
    )
    for (const row of rows) yield { ...row, active: row.active }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM ci_schedules WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const created_at = timeOf(record, 'created_at') ?? into.now
    into.insert('ci_schedules', {
      project_id: into.owner.id,
      owner_id: into.importer_id,
      description: requiredText(record, 'description', 255),
      ref: requiredText(record, 'ref', 1024),
      cron: cronOf(record),
      cron_timezone: textOf(record, 'cron_timezone', 255) ?? 'UTC',
      next_run_at: timeOf(record, 'next_run_at'),
      active: false,
      created_at,
      updated_at: timeOf(record, 'updated_at') ?? created_at,
    })
  },
})

function cronOf(record: Fields): string {
  const cron = requiredText(record, 'cron', 255).trim()
  try {
    const isFive = /^(?:@[a-z]+|[\dA-Za-z*,/#-]+(?:\s+[\dA-Za-z*,/#-]+){4})$/.test(cron)
    if (isFive && nextRun(cron.replaceAll(/(^|[\s,])\d+\/(\d+)/g, '$1*/$2'), 0) !== undefined) return cron
  } catch {
    // Told below, like everything else that is none.
  }
  throw new UnusableRecord('cron syntax is invalid')
}
