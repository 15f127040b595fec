import type { Ctx } from '../../../ctx.ts'

/** An import of gists; each user has at most one. */
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
export function begin(ctx: Ctx, userId: number, given: { token: string; hostname: string | null }): void {
  ctx.db.exec(
    `INSERT OR REPLACE INTO gist_imports (user_id, hostname, credentials, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
    userId,
    given.hostname,
    ctx.secrets.seal(given.token, PURPOSE),
    ctx.now,
    ctx.now,
  )
}

export function tokenOf(ctx: Pick<Ctx, 'secrets'>, { credentials }: GistImport): string {
  return credentials === null ? '' : ctx.secrets.open(credentials, PURPOSE).toString()
}

/** Stores the position of the import. */
export function keepCursor({ db, now }: Pick<Ctx, 'db' | 'now'>, userId: number, cursor: object): void {
  const sql = 'UPDATE gist_imports SET cursor = ?, updated_at = ? WHERE user_id = ?'
  db.exec(sql, JSON.stringify(cursor), now, userId)
}

/** Ends the import and deletes its token. */
export function end(ctx: Pick<Ctx, 'db' | 'now'>, userId: number, error: string | null): void {
  ctx.db.exec(
    'UPDATE gist_imports SET status = ?, error = ?, credentials = NULL, updated_at = ? WHERE user_id = ?',
    error === null ? 'finished' : 'failed',
    error,
    ctx.now,
    userId,
  )
}
