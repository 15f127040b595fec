import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { projectById } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { RunnerPlace } from './registration-token.ts'
import { projectIdsOf, type RunnerRow } from './store.ts'

/** When a token that a runner gets now ends, by the settings and those of its project; null for never. */
export function tokenEnd(ctx: Ctx, place: RunnerPlace): string | null {
  const settings = settingsOf(ctx)
  if (place.runner_type === 'instance_type') return after(ctx, settings.runner_token_expiration_interval)
  if (place.runner_type === 'group_type') return after(ctx, settings.group_runner_token_expiration_interval)
  const own = projectById(ctx.db, place.project_id)?.runner_token_expiration_interval ?? null
  const shorter = [own, settings.project_runner_token_expiration_interval].filter((one) => one !== null)
  return after(ctx, shorter.length === 0 ? null : Math.min(...shorter))
}

/** Whom a runner works for; the first of its projects decides. */
export function placeOfRunner({ db }: Pick<Ctx, 'db'>, row: RunnerRow): RunnerPlace {
  if (row.runner_type === 'group_type') return { runner_type: 'group_type', group_id: row.group_id! }
  const [project_id] = row.runner_type === 'project_type' ? projectIdsOf(db, row.id) : []
  return project_id === undefined
    ? { runner_type: 'instance_type' }
    : { runner_type: 'project_type', project_id }
}

function after({ now }: Ctx, seconds: number | null): string | null {
  return seconds ? isoTime(Date.parse(now) + seconds * 1000) : null
}
