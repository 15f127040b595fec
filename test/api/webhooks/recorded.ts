import type { Kind } from '../../../server/domains/webhooks/recording/hook-event.ts'
import { openBody } from '../../../server/domains/webhooks/recording/service.ts'
import type { World } from '../../support/world.ts'

/** A recorded event. */
export interface Recorded {
  readonly kind: Kind
  readonly project_id: number | null
  readonly group_id: number | null
  readonly actor_id: number | null
  readonly ref: string | null
  // Tests look into payloads of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly payload: any
}

/** Creates a webhook with all event flags that gets no requests. Returns its ID. */
export function listen(w: World, owner: { project_id?: number; group_id?: number }): number {
  const { db, now } = w.ctx()
  const kind =
    owner.project_id === undefined ? (owner.group_id === undefined ? 'system' : 'group') : 'project'
  const columns = db
    .many<{ name: string }>("SELECT name FROM pragma_table_info('web_hooks')")
    .map(({ name }) => name)
    .filter((name) => name.endsWith('_events'))
  return db.exec(
    `INSERT INTO web_hooks (kind, project_id, group_id, url, is_disabled, created_at, updated_at, ${columns.join(', ')})
     VALUES (?, ?, ?, '', 1, ?, ?, ${columns.map(() => '1').join(', ')})`,
    kind,
    owner.project_id ?? null,
    owner.group_id ?? null,
    now,
    now,
  ).id
}

/** Runs an action and returns the resulting events, of one kind or of all. */
export async function recorded(w: World, kind: Kind | null, act: () => unknown): Promise<Recorded[]> {
  await w.drain()
  const { db, secrets } = w.ctx()
  const last = db.one<{ id: number | null }>('SELECT max(id) AS id FROM hook_events')!.id ?? 0
  await act()
  await w.drain()
  return db
    .many<Recorded & { payload: string }>(
      `SELECT kind, project_id, group_id, actor_id, ref, payload FROM hook_events
       WHERE id > ? AND kind LIKE ? ORDER BY id`,
      last,
      kind ?? '%',
    )
    .map((row) => ({ ...row, payload: JSON.parse(openBody({ secrets }, row.payload)) }))
}

/** The fields of the common parts of events (spec administration 3.8). */
export const USER_KEYS = ['avatar_url', 'email', 'id', 'name', 'username']
export const SHORT_PROJECT_KEYS = [
  'avatar_url',
  'ci_config_path',
  'default_branch',
  'description',
  'git_http_url',
  'git_ssh_url',
  'id',
  'name',
  'namespace',
  'path_with_namespace',
  'visibility_level',
  'web_url',
]
export const PROJECT_KEYS = [...SHORT_PROJECT_KEYS, 'homepage', 'http_url', 'ssh_url', 'url'].sort()
export const COMMIT_KEYS = ['author', 'id', 'message', 'timestamp', 'title', 'url']
export const RUNNER_KEYS = ['active', 'description', 'id', 'is_shared', 'runner_type', 'tags']

/** Returns the names of the fields of an object, sorted. */
export const keys = (value: object): string[] => Object.keys(value).sort()
