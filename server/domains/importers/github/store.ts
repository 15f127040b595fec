import type { Ctx } from '../../../ctx.ts'
import { jsonList, type Database } from '../../../db/database.ts'
import type { IssuableRef } from '../hosts/landing/index.ts'

/** An import of gists. Each user has at most one. */
export interface GistImport {
  readonly user_id: number
  readonly hostname: string | null
  readonly credentials: string | null
  readonly status: 'started' | 'finished' | 'failed'
  readonly cursor: string
  readonly error: string | null
}

const PURPOSE = 'gist_imports.credentials'

export function importOf({ db }: Pick<Ctx, 'db'>, userId: number): GistImport | undefined {
  return db.one<GistImport>('SELECT * FROM gist_imports WHERE user_id = ?', userId)
}

/** Starts the import of the gists of a user. */
export function begin(ctx: Ctx, userId: number, input: { token: string; hostname: string | null }): void {
  ctx.db.exec(
    `INSERT OR REPLACE INTO gist_imports (user_id, hostname, credentials, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
    userId,
    input.hostname,
    ctx.secrets.seal(input.token, PURPOSE),
    ctx.now,
    ctx.now,
  )
}

export function tokenOf(ctx: Pick<Ctx, 'secrets'>, { credentials }: GistImport): string {
  return credentials === null ? '' : ctx.secrets.open(credentials, PURPOSE).toString()
}

/** Stores the position of the import. */
export function storeCursor({ db, now }: Pick<Ctx, 'db' | 'now'>, userId: number, cursor: object): void {
  const sql = 'UPDATE gist_imports SET cursor = ?, updated_at = ? WHERE user_id = ?'
  db.exec(sql, JSON.stringify(cursor), now, userId)
}

/** Ends the import and deletes its token. */
export function finish(ctx: Pick<Ctx, 'db' | 'now'>, userId: number, error: string | null): void {
  ctx.db.exec(
    'UPDATE gist_imports SET status = ?, error = ?, credentials = NULL, updated_at = ? WHERE user_id = ?',
    error === null ? 'finished' : 'failed',
    error,
    ctx.now,
    userId,
  )
}

const IMPORTED = {
  MergeRequest: `SELECT r.iid FROM merge_requests r JOIN import_marks m
    ON m.project_id = r.project_id AND m.kind = 'merge_request' AND m.source_key = CAST(r.iid AS TEXT)`,
  Issue: `SELECT r.iid FROM issues r JOIN import_marks m
    ON m.project_id = r.project_id AND m.kind = 'issue' AND m.source_key = CAST(r.iid AS TEXT)`,
}

/** Filters of imported issues or merge requests of a project. */
export interface ImportedFilter {
  readonly projectId: number
  readonly kind: IssuableRef['kind']
  readonly merged?: boolean | undefined
}

const condition = ({ merged }: ImportedFilter): string => (merged ? "r.state = 'merged'" : 'true')

/** The number of imported issues or merge requests. */
export function countImported(db: Database, filter: ImportedFilter): number {
  const sql = `SELECT count(*) AS n FROM (${IMPORTED[filter.kind]} WHERE r.project_id = ? AND ${condition(filter)})`
  return db.one<{ n: number }>(sql, filter.projectId)!.n
}

/** The lowest number of an imported issue or merge request that is at least `iid`. */
export function nextImported(db: Database, filter: ImportedFilter, iid: number): number | undefined {
  const sql = `${IMPORTED[filter.kind]} WHERE r.project_id = ? AND r.iid >= ? AND ${condition(filter)} ORDER BY r.iid LIMIT 1`
  return db.one<{ iid: number }>(sql, filter.projectId, iid)?.iid
}

/** The projects that were imported from the repositories with these page URLs, oldest first. */
export function importsOfPages(
  db: Database,
  importType: string,
  pages: readonly string[],
): { project_id: number; import_source: string }[] {
  return db.many(
    `SELECT r.project_id, r.import_source FROM import_runs r JOIN projects p ON p.id = r.project_id
     WHERE p.import_type = ? AND p.import_status IN ('scheduled', 'started', 'finished')
       AND r.provider_link IN (SELECT value FROM json_each(?)) ORDER BY r.id`,
    importType,
    jsonList(pages),
  )
}
